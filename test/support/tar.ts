/** Returns the files of a POSIX tar archive with pax headers by name. Throws if the archive is incomplete. */
export function untar(archive: Uint8Array): Map<string, Uint8Array> {
  const decoder = new TextDecoder();
  const files = new Map<string, Uint8Array>();
  let records: Record<string, string> = {};
  for (let at = 0; ; ) {
    const header = archive.subarray(at, at + 512);
    if (header.length < 512) throw new Error('The archive is cut off.');
    if (header.every((byte) => byte === 0)) return files;
    const told = (from: number, length: number) =>
      decoder.decode(header.subarray(from, from + length)).split('\0')[0]!;
    const size = Number(records.size ?? Number.parseInt(told(124, 12), 8));
    const body = archive.subarray(at + 512, at + 512 + size);
    if (body.length < size) throw new Error('The archive is cut off.');
    at += 512 + Math.ceil(size / 512) * 512;
    if (told(156, 1) === 'x') {
      records = parseRecords(decoder.decode(body));
      continue;
    }
    files.set(records.path ?? told(0, 100), body);
    records = {};
  }
}

function parseRecords(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.slice(line.indexOf(' ') + 1))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
