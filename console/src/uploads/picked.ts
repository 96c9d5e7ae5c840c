export interface PickedFile {
  file: File;
  /**
   * Path including the name of the chosen folder. Absent for a file that was not chosen as part of a folder.
   */
  path?: string;
}

export interface Picked {
  files: PickedFile[];
  /** Paths of hidden and system files in chosen folders. These files are not uploaded. */
  skipped: string[];
  /** Paths of dropped files and folders that the browser could not read. */
  unreadable: string[];
}

const NOTHING: Picked = { files: [], skipped: [], unreadable: [] };

const SYSTEM_NAMES = new Set(['thumbs.db', 'ehthumbs.db', 'desktop.ini', '__macosx']);

/**
 * Returns true if part of the path is a hidden file or one that operating systems and programs create, such
 * as `Thumbs.db`.
 */
const isSystemPath = (path: string) =>
  path.split('/').some((name) => /^(?:\.|~\$)/.test(name) || SYSTEM_NAMES.has(name.toLowerCase()));

/** Accepts files that the user chose one by one. Unlike in folders, hidden files are included. */
export const pickFiles = (files: Iterable<File>): Picked => ({
  ...NOTHING,
  files: [...files].map((file) => ({ file })),
});

/** Accepts all files of a chosen folder except hidden and system files. */
function pickFolder(files: readonly File[]): Picked {
  const found = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return {
    ...NOTHING,
    files: found.filter(({ path }) => !isSystemPath(path)),
    skipped: found.filter(({ path }) => isSystemPath(path)).map(({ path }) => path),
  };
}

/**
 * File input whose dialog is open. The reference keeps the browser from garbage-collecting the input before
 * the user has chosen files.
 */
let opened: HTMLInputElement | undefined;

/**
 * Opens the browser's dialog to choose files or a whole folder. Resolves without files if the user cancels.
 */
export function chooseFromDisk(kind: 'files' | 'folder'): Promise<Picked> {
  const input = document.createElement('input');
  opened = input;
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = kind === 'folder';
  return new Promise((resolve) => {
    const end = () => {
      if (opened === input) opened = undefined;
      const files = [...(input.files ?? [])];
      resolve(kind === 'files' ? pickFiles(files) : pickFolder(files));
    };
    input.addEventListener('change', end);
    input.addEventListener('cancel', end);
    input.click();
  });
}

/**
 * Reads dropped files and folders recursively. Must be called during the `drop` event, because the browser
 * discards the entries afterwards.
 */
export function readDropped(data: DataTransfer): Promise<Picked> {
  const dropped = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return collect(dropped);
}

interface Dropped {
  entry: FileSystemEntry | null;
  file: File | null;
}

async function collect(dropped: readonly Dropped[]): Promise<Picked> {
  const picked: Picked = { files: [], skipped: [], unreadable: [] };
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    const path = entry.fullPath.replace(/^\//, '');
    if (isSystemPath(entry.name)) {
      picked.skipped.push(path);
      return;
    }
    try {
      if (isDirectory(entry)) {
        for (const each of await readEntries(entry)) await walk(each);
      } else if (isFile(entry)) {
        picked.files.push({ file: await readFile(entry), path });
      }
    } catch {
      picked.unreadable.push(path);
    }
  };
  for (const { entry, file } of dropped) {
    if (entry && isDirectory(entry)) await walk(entry);
    else if (file && isSystemPath(file.name)) picked.skipped.push(file.name);
    else if (file) picked.files.push({ file });
    else if (entry) picked.unreadable.push(entry.name);
  }
  return picked;
}

const readFile = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject));
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/**
 * Reads all entries of a folder. `readEntries` returns at most 100 entries per call, and an empty list at the
 * end.
 */
async function readEntries(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return entries;
    entries.push(...batch);
  }
}
