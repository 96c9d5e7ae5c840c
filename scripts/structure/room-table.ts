import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SourceFile } from './source-files.ts';

/** Room of a checkout: a part of the tree with a list of the rooms that it may import. */
export interface Room {
  name: string;
  /**
   * Paths of the folders and files in the room, relative to the root of the checkout. Folder paths end in a
   * slash.
   */
  paths: readonly string[];
  mayUse: readonly string[];
}

/** Permission of one room to import from another, as granted by `scripts/rooms.ts`. */
export interface Permission {
  from: string;
  to: string;
}

/** Rooms of one checkout and the import permissions between them. */
export interface RoomTable {
  rooms: readonly Room[];
  /** Returns the name of the room that contains a file, or `undefined` if no room does. */
  roomContaining(path: string): string | undefined;
  /** Returns true if files of the room `from` may import files of the room `to`. */
  mayUse(from: string, to: string): boolean;
}

/**
 * Entry of `ROOMS` in scripts/rooms.ts. Older checkouts use `paths` and `mayUse`, newer ones use `mayImport`.
 */
interface RoomEntry {
  paths?: readonly string[];
  mayUse?: readonly string[];
  mayImport?: readonly string[];
}

/**
 * Loads `scripts/rooms.ts` of the checkout at `root`. In older checkouts, a room has a name and a list of
 * `paths`, which may be single files. In newer ones a room is a folder, and its name is the folder's path,
 * relative to the root or to `src`.
 */
export async function loadRoomTable(root: string): Promise<RoomTable> {
  const { href } = pathToFileURL(join(root, 'scripts/rooms.ts'));
  const { ROOMS } = (await import(href)) as { ROOMS: Record<string, RoomEntry> };
  return createRoomTable(
    Object.entries(ROOMS).map(([name, { paths, mayUse, mayImport }]) => ({
      name,
      paths: paths ?? [folderPath(root, name)],
      mayUse: mayImport ?? mayUse ?? [],
    })),
  );
}

export function createRoomTable(rooms: readonly Room[]): RoomTable {
  const allowed = new Map(rooms.map(({ name, mayUse }) => [name, new Set(mayUse)]));
  const places = rooms.flatMap(({ name, paths }) => paths.map((path) => ({ name, path })));
  // Longer paths come first, so that a folder inside a room can be a separate room.
  places.sort((a, b) => b.path.length - a.path.length);
  return {
    rooms,
    roomContaining: (path) =>
      places.find((place) => (place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path))
        ?.name,
    mayUse: (from, to) => allowed.get(from)?.has(to) ?? false,
  };
}

export function grantedPermissions({ rooms }: RoomTable): Permission[] {
  return rooms.flatMap(({ name, mayUse }) => [...new Set(mayUse)].map((to) => ({ from: name, to })));
}

/** Lists the permissions that at least one import uses, without duplicates. */
export function usedPermissions(table: RoomTable, files: readonly SourceFile[]): Permission[] {
  const used = new Map<string, Permission>();
  for (const { path, imports } of files) {
    const from = table.roomContaining(path);
    for (const target of imports) {
      const to = table.roomContaining(target);
      if (from !== undefined && to !== undefined && from !== to) used.set(`${from}\n${to}`, { from, to });
    }
  }
  return [...used.values()].filter(({ from, to }) => table.mayUse(from, to));
}

/** Lists the rooms that have at least one path to a single file. */
export function roomsOfFiles({ rooms }: RoomTable): Room[] {
  return rooms.filter(({ paths }) => paths.some((path) => !path.endsWith('/')));
}

/** Returns the path of a room's folder. The name of a folder of `src` may omit `src/`. */
function folderPath(root: string, name: string): string {
  const folder = name.replace(/\/$/, '');
  const isFolderOfSrc = !folder.startsWith('src/') && existsSync(join(root, 'src', folder));
  return isFolderOfSrc ? `src/${folder}/` : `${folder}/`;
}
