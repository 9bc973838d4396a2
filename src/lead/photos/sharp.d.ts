/** The calls of sharp that are made here and in tests. sharp is optional: types are checked without it, too. */
declare module 'sharp' {
  /** What only tests make: a picture of one colour, or of noise. */
  type Create = {
    width: number
    height: number
    channels: 3 | 4
    background: string | { r: number; g: number; b: number }
    noise?: { type: 'gaussian'; mean: number; sigma: number }
  }

  type Options = {
    limitInputPixels?: number | false
    failOn?: 'error'
    autoOrient?: boolean
    create?: Create
  }

  type Resize = { width: number; height: number; fit: 'inside'; withoutEnlargement: boolean }

  type Metadata = { width: number; height: number; format: string; exif?: Buffer }

  export type Sharp = {
    flatten(options: { background: string }): Sharp
    resize(options: Resize): Sharp
    jpeg(options?: { quality?: number; progressive?: boolean; chromaSubsampling?: string }): Sharp
    png(options?: { progressive?: boolean }): Sharp
    gif(): Sharp
    toColourspace(space: 'rgb16'): Sharp
    withExif(exif: Record<string, Record<string, string>>): Sharp
    withMetadata(options: { orientation: number }): Sharp
    metadata(): Promise<Metadata>
    toBuffer(): Promise<Buffer>
    toBuffer(options: { resolveWithObject: true }): Promise<Made>
  }

  type Made = { data: Buffer; info: { width: number; height: number } }

  const sharp: {
    (input: Buffer, options?: Options): Sharp
    (options: Options): Sharp
    versions: { sharp: string }
    cache(isKept: false): void
    concurrency(threads: number): void
    block(what: { operation: string[] }): void
    unblock(what: { operation: string[] }): void
  }
  export default sharp
}
