/** The stream names of an OLE2 compound file, from its directory; enough to tell what it holds. */
export function oleStreamNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  try {
    const sectorSize = 1 << Math.min(16, view.getUint16(30, true));
    const sectorAt = (sector: number) => (sector + 1) * sectorSize;
    const fat = (sector: number) => {
      const perSector = sectorSize / 4;
      // The first 109 FAT sectors are listed in the header: 7 MB of file with small sectors.
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
    // Cut short: the names read so far decide.
  }
  return names;
}

export const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
