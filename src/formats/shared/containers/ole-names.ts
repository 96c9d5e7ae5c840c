import { OleFile } from './ole.ts';

/**
 * Returns the names of as many streams of a compound file as can be read, which suffices to detect its
 * format. If the directory tree is damaged, returns every name in the directory.
 */
export function oleStreamNames(bytes: Uint8Array): string[] {
  try {
    const { names } = new OleFile(bytes);
    if (names.length > 0) return names;
  } catch {
    // Fall back to reading the directory's first sectors without its tree.
  }
  return readDirectoryNames(bytes);
}

/** Reads the names from the directory's sectors and ignores its tree. */
function readDirectoryNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  try {
    const sectorSize = 1 << Math.min(16, view.getUint16(30, true));
    const sectorAt = (sector: number) => (sector + 1) * sectorSize;
    const fat = (sector: number) => {
      const perSector = sectorSize / 4;
      // The header lists the first 109 sectors of the allocation table, which cover 7 MB of a file with small
      // sectors.
      const fatSector = view.getUint32(76 + 4 * Math.min(108, Math.floor(sector / perSector)), true);
      return view.getUint32(sectorAt(fatSector) + 4 * (sector % perSector), true);
    };
    let sector = view.getUint32(48, true);
    for (let guard = 0; guard < 64 && sector < 0xfffffffa; guard++) {
      const start = sectorAt(sector);
      for (let at = start; at < start + sectorSize; at += 128) {
        const length = view.getUint16(at + 64, true);
        if (length < 2 || length > 64) continue;
        names.push(new TextDecoder('utf-16le').decode(bytes.subarray(at, at + length - 2)));
      }
      sector = fat(sector);
    }
  } catch {
    // The file is cut short; return the names read so far.
  }
  return names;
}
