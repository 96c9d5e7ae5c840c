/** A file that the user chose or dropped. */
export interface PickedFile {
  file: File;
  /** Path within the folder that was chosen, beginning with that folder's name. Absent for a single file. */
  path?: string;
}

export interface Picked {
  files: PickedFile[];
  /** Paths of hidden and system files, which are not uploaded. */
  skipped: string[];
  /** Paths that the browser could not read. */
  unreadable: string[];
}

const NOTHING: Picked = { files: [], skipped: [], unreadable: [] };

const SYSTEM_NAMES = new Set(['thumbs.db', 'ehthumbs.db', 'desktop.ini', '__macosx']);

/** Whether a part of the path is the name of a file or folder that systems and programs write for themselves. */
const isSystemPath = (path: string) =>
  path.split('/').some((name) => /^(?:\.|~\$)/.test(name) || SYSTEM_NAMES.has(name.toLowerCase()));

/** Takes single files as they are: the user has chosen each of them. */
export const pickFiles = (files: Iterable<File>): Picked => ({
  ...NOTHING,
  files: [...files].map((file) => ({ file })),
});

/** Takes all files of a chosen folder but those that are hidden. */
function pickFolder(files: readonly File[]): Picked {
  const found = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return {
    ...NOTHING,
    files: found.filter(({ path }) => !isSystemPath(path)),
    skipped: found.filter(({ path }) => isSystemPath(path)).map(({ path }) => path),
  };
}

/** The input is kept while its dialog is open: a browser may discard one that nothing refers to. */
let opened: HTMLInputElement | undefined;

/** Lets the user choose files, or a folder with all that is in it. Resolves without files if the user cancels. */
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
 * Reads what was dropped: single files, and folders with all that is in them. It must be called while the `drop` event is
 * dispatched, because the browser takes the entries back afterwards.
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

/** A reader gives at most a hundred entries at a time, and none when it has given all. */
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
