/** The bundle cannot be used. The message is the reason, to follow the name of the file and a colon. */
export class BundleRefused extends Error {
  override name = 'BundleRefused'
}
