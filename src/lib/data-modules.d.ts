/** Bytes that the bundler's Data rule puts beside the script. */
declare module '*.ttf' {
  const bytes: ArrayBuffer;
  export default bytes;
}
