# The image of the service. dist/ is made before: npm ci && npm run build && docker build -t lead-intake .
# Its folders: /data for the leads and the secret (keep it), /content for the words (put yours there).
# The digest is that of the list for all kinds of machines, arm64 among them.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS packages
WORKDIR /lead-intake
COPY package.json package-lock.json .npmrc ./
# Without the Node that npm would install, and without types and maps, which nothing reads.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node-linux-* && \
  find node_modules \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.ts' \) -delete && \
  rm -rf .npmrc package-lock.json node_modules/.package-lock.json

FROM ${NODE_IMAGE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lead-intake"
LABEL org.opencontainers.image.description="Takes Consultation requests for a deck and pergola business, for good"
LABEL org.opencontainers.image.licenses="MIT"
LABEL org.opencontainers.image.version="${VERSION}"
LABEL org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data CONTENT_DIR=/content
WORKDIR /lead-intake
COPY --from=packages /lead-intake ./
COPY LICENSE ./
COPY bin bin
COPY public public
COPY dist dist
# The program's own, for pages that a site lacks, and as an example.
COPY content content
COPY content /content
RUN mkdir /data && chown 1000:1000 /data && chmod 700 /data && \
  ln -s /lead-intake/bin/lead-intake.js /usr/local/bin/lead-intake
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["lead-intake", "healthcheck"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "bin/lead-intake.js"]
CMD ["serve"]
