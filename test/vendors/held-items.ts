import { createHash } from 'node:crypto';
import type { Settings } from './protocol.ts';

/** One thing that a test has put into a vendor. */
export interface HeldItem {
  /** Stays when it is renamed or moved. */
  id: string;
  /** Folders and name. */
  path: string;
  base64: string;
  /** As listings are to say it, right or wrong. */
  size: number | string;
  modifiedAt: string;
  permissions?: Record<string, unknown>;
}

/** What the source suite has put into its vendor, as behaviours find it in their settings. */
export interface HeldItems {
  items: HeldItem[];
  /** The most that a page of a listing holds. */
  pageSize: number;
  /** Access tokens that are good. */
  tokens: string[];
  /** Something of it is no size or no time, so answers that repeat it are not of the description. */
  nonsense: boolean;
}

export const heldIn = (settings: Settings): HeldItems => ({
  items: [],
  pageSize: 100,
  tokens: [],
  nonsense: false,
  ...(settings as Partial<HeldItems>),
});

export const bytesOf = ({ base64 }: HeldItem) => Buffer.from(base64, 'base64');
export const textOf = (item: HeldItem) => bytesOf(item).toString();
export const nameOf = ({ path }: { path: string }) => path.slice(path.lastIndexOf('/') + 1);

/** Ids as vendors give them, which are never paths: `digits` decimal digits that follow from a text. */
export function idOf(text: string, digits = 12): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 15);
  return `1${(BigInt(`0x${hash}`) % 10n ** BigInt(digits - 1)).toString().padStart(digits - 1, '0')}`;
}

export interface HeldFolder {
  /** Follows from its path; that of the root is `''`. */
  id: string;
  name: string;
  path: string;
  folders: HeldFolder[];
  files: HeldItem[];
}

/** The items as a tree of folders, by the folders' ids. */
export function foldersOf(
  items: HeldItem[],
  idOfFolder: (path: string) => string = idOf,
): Map<string, HeldFolder> {
  const root: HeldFolder = { id: '', name: '', path: '', folders: [], files: [] };
  const byPath = new Map([['', root]]);
  const folderAt = (path: string): HeldFolder => {
    const known = byPath.get(path);
    if (known) return known;
    const at = path.lastIndexOf('/');
    const folder = { id: idOfFolder(path), name: path.slice(at + 1), path, folders: [], files: [] };
    byPath.set(path, folder);
    folderAt(path.slice(0, Math.max(at, 0))).folders.push(folder);
    return folder;
  };
  for (const item of items)
    folderAt(item.path.slice(0, Math.max(item.path.lastIndexOf('/'), 0))).files.push(item);
  return new Map([...byPath.values()].map((folder) => [folder.id, folder]));
}

/** The items of a listing from `start` on, and where the next page starts. */
export function pageOf<T>(all: T[], start: number, size: number): { page: T[]; next: number | null } {
  const end = start + size;
  return { page: all.slice(start, end), next: end < all.length ? end : null };
}
