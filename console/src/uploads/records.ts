const PREFIX = 'sluice-upload';

/**
 * Information about an upload that outlasts a page reload. File contents are not stored. IndexedDB would copy
 * every file before sending, which doubles reads and disk space and leaves documents in the browser profile.
 */
export interface UploadRecord {
  id: number;
  name: string;
  size: number;
  path?: string;
  folder?: string;
  /** Id of the stored file. Absent if the file is not stored yet. */
  fileId?: string;
  isDone?: boolean;
}

const recordKey = (queue: string, id: number) => `${PREFIX} ${queue} ${id}`;

/**
 * Stores a record in session storage. Each upload has its own entry, so that a change writes only one of
 * possibly thousands.
 */
export function saveRecord(queue: string, record: UploadRecord): void {
  try {
    sessionStorage.setItem(recordKey(queue, record.id), JSON.stringify(record));
  } catch {
    // The session storage is full. The upload continues, but a page reload would lose this record.
  }
}

export const removeRecord = (queue: string, id: number) => sessionStorage.removeItem(recordKey(queue, id));

/** Returns the records of a queue in the order in which the files were added. */
export function readRecords(queue: string): UploadRecord[] {
  return Object.entries({ ...sessionStorage })
    .filter(([key]) => key.startsWith(`${PREFIX} ${queue} `))
    .map(([, text]) => JSON.parse(text) as UploadRecord)
    .toSorted((a, b) => a.id - b.id);
}

export const listRecordedQueues = (): string[] => [
  ...new Set(
    Object.keys(sessionStorage)
      .filter((key) => key.startsWith(`${PREFIX} `))
      .map((key) => key.slice(PREFIX.length + 1, key.lastIndexOf(' '))),
  ),
];
