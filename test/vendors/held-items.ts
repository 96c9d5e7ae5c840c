import { createHash } from 'node:crypto';
import type { Settings } from './protocol.ts';

/** Item that a test has added to a vendor. */
export interface HeldItem {
  /** Id that stays the same after renaming or moving. */
  id: string;
  /** Folders and name. */
  path: string;
  base64: string;
  /** Size in listings, which can be invalid. */
  size: number | string;
  modifiedAt: string;
  permissions?: Record<string, unknown>;
}

/** Items of the source suite in the settings of a behaviour. */
export interface HeldItems {
  items: HeldItem[];
  /** Maximum page size of listings. */
  pageSize: number;
  /** Valid access tokens. */
  tokens: string[];
  /** Whether an item has an invalid size or time, so that answers do not match the description. */
  nonsense: boolean;
}

export const heldIn = (settings: Settings): HeldItems => ({
  items: [],
  pageSize: 100,
  tokens: [],
  nonsense: false,
  ...(settings as Partial<HeldItems>),
});

export const decodeItemBytes = ({ base64 }: HeldItem) => Buffer.from(base64, 'base64');
export const decodeItemText = (item: HeldItem) => decodeItemBytes(item).toString();
export const getItemName = ({ path }: { path: string }) => path.slice(path.lastIndexOf('/') + 1);

/** Derives an id of `digits` decimal digits from a text. */
export function hashToId(text: string, digits = 12): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 15);
  return `1${(BigInt(`0x${hash}`) % 10n ** BigInt(digits - 1)).toString().padStart(digits - 1, '0')}`;
}

export interface HeldFolder {
  /** Id derived from the path. The root has the path `''`. */
  id: string;
  name: string;
  path: string;
  folders: HeldFolder[];
  files: HeldItem[];
}

/** Returns the items as a tree of folders by folder id. */
export function listParentFolders(
  items: HeldItem[],
  idOfFolder: (path: string) => string = hashToId,
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

/** Returns the items of a page, and the start of the next page. */
export function takePage<T>(all: T[], start: number, size: number): { page: T[]; next: number | null } {
  const end = start + size;
  return { page: all.slice(start, end), next: end < all.length ? end : null };
}
