#!/bin/sh
# Makes a base image like that of the Dockerfile from Debian's packages, for machines that reach no
# registry: docker build --build-arg NODE_IMAGE=localhost/lead-intake-base …
# As root, after npm ci: apt-get install buildah podman runc debootstrap, then this, with a folder for it.
set -eu
folder=${1:?a folder for the file system}
image=localhost/lead-intake-base
debootstrap --variant=minbase --include=ca-certificates trixie "$folder/rootfs"
cp node_modules/node-linux-*/bin/node "$folder/rootfs/usr/local/bin/"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$folder/rootfs/usr/local/lib/node_modules"
cp -r "$npm" "$folder/rootfs/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$folder/rootfs/usr/local/bin/npm"
chroot "$folder/rootfs" useradd -u 1000 -m node
# The registry of npm may be known to this machine by a certificate of its own.
cp /etc/ssl/certs/ca-certificates.crt "$folder/rootfs/etc/ssl/certs/host-ca.crt"
container=$(buildah from scratch)
buildah add "$container" "$folder/rootfs" /
buildah config --env PATH=/usr/local/bin:/usr/bin:/bin \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/host-ca.crt "$container"
buildah commit "$container" "$image"
buildah rm "$container"
