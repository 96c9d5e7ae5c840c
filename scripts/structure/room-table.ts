import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SourceFile } from './source-files.ts';

/** One room of a checkout: a part of the tree with a list of the rooms that it may import. */
export interface Room {
  name: string;
  /** Paths of the room from the root of the checkout. The path of a folder ends in a slash. */
  paths: readonly string[];
  mayUse: readonly string[];
}

/** An import permission that `scripts/rooms.ts` grants. */
export interface Permission {
  from: string;
  to: string;
}

/** The rooms of one checkout and the permissions between them. */
export interface RoomTable {
  rooms: readonly Room[];
  /** Returns the name of the room that a file belongs to, or `undefined` if it belongs to none. */
  roomContaining(path: string): string | undefined;
  /** Returns whether files of the room `from` may import files of the room `to`. */
  mayUse(from: string, to: string): boolean;
}

/** What `ROOMS` holds for a room: `paths` and `mayUse` before rooms were folders, `mayImport` since. */
interface RoomEntry {
  paths?: readonly string[];
  mayUse?: readonly string[];
  mayImport?: readonly string[];
}

/**
 * Loads `scripts/rooms.ts` of the checkout at `root`. Before rooms were folders, a room has a name and a list of `paths`,
 * which may be single files. Later a room is a folder, and its name is the path of that folder, from the root or
 * from `src`.
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

/** Looks rooms up by path and by name. */
export function createRoomTable(rooms: readonly Room[]): RoomTable {
  const allowed = new Map(rooms.map(({ name, mayUse }) => [name, new Set(mayUse)]));
  const places = rooms.flatMap(({ name, paths }) => paths.map((path) => ({ name, path })));
  // The longest path wins, so that a folder can be a room inside another room.
  places.sort((a, b) => b.path.length - a.path.length);
  return {
    rooms,
    roomContaining: (path) =>
      places.find((place) => (place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path))
        ?.name,
    mayUse: (from, to) => allowed.get(from)?.has(to) ?? false,
  };
}

/** Lists the permissions of a table, each once. */
export function grantedPermissions({ rooms }: RoomTable): Permission[] {
  return rooms.flatMap(({ name, mayUse }) => [...new Set(mayUse)].map((to) => ({ from: name, to })));
}

/** Lists the permissions that at least one import needs, each once. */
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

/** Lists the rooms of which at least one path is a single file. */
export function roomsOfFiles({ rooms }: RoomTable): Room[] {
  return rooms.filter(({ paths }) => paths.some((path) => !path.endsWith('/')));
}

/** Turns the name of a room into the path of its folder. A folder of `src` may leave `src/` out of its name. */
function folderPath(root: string, name: string): string {
  const folder = name.replace(/\/$/, '');
  const isFolderOfSrc = !folder.startsWith('src/') && existsSync(join(root, 'src', folder));
  return isFolderOfSrc ? `src/${folder}/` : `${folder}/`;
}
