// openpgp names these types of a package that only its own streams need.
declare module '@openpgp/web-stream-tools' {
  export type WebStream<T> = import('node:stream/web').ReadableStream<T>
  export type NodeWebStream<T> = AsyncIterable<T>
}
