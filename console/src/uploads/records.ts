const PREFIX = 'sluice-upload';

/**
 * What is remembered of an upload while the page is reloaded. Its bytes are not: IndexedDB would copy every file before
 * it is sent, which doubles the reading and the space, and would leave documents in the profile of the browser.
 */
export interface UploadRecord {
  id: number;
  name: string;
  size: number;
  path?: string;
  /** Id of the stored file. Absent if the file is not stored yet. */
  fileId?: string;
  /** Nothing is left to do for the file. */
  isDone?: boolean;
}

const recordKey = (queue: string, id: number) => `${PREFIX} ${queue} ${id}`;

/** Each upload has an entry of its own, so that a change among thousands of files writes only one of them. */
export function keepRecord(queue: string, record: UploadRecord): void {
  try {
    sessionStorage.setItem(recordKey(queue, record.id), JSON.stringify(record));
  } catch {
    // The storage is full. The upload goes on; only a reload would lose this record.
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

/** Returns the names of the queues that have records. */
export const recordedQueues = (): string[] => [
  ...new Set(
    Object.keys(sessionStorage)
      .filter((key) => key.startsWith(`${PREFIX} `))
      .map((key) => key.slice(PREFIX.length + 1, key.lastIndexOf(' '))),
  ),
];
