/** Items that one message may name. */
export const MOST_TOGETHER = 500;
/** What is read for them, in all and for each: larger ones are done by themselves. */
const MOST_BYTES = 512 * 1024;
const SMALL_BYTES = 64 * 1024;

export interface WaitingItem extends Record<string, SqlStorageValue> {
  id: string;
  bytes: number | null;
  most: number;
  /** 0: somebody waits for it. */
  line: number;
}

/** What is sent by one message, and whether somebody waits for it. */
export interface Group {
  ids: string[];
  isFirst: boolean;
}

/** The items that are sent together: neighbours in one line that are small. */
export function gatherItems(waiting: readonly WaitingItem[]): Group[] {
  const groups: Group[] = [];
  let group: { ids: string[]; bytes: number; most: number; line: number } | undefined;
  for (const { id, bytes, most, line } of waiting) {
    const isSmall = bytes !== null && bytes <= SMALL_BYTES && most > 1;
    const fits =
      isSmall &&
      group !== undefined &&
      group.line === line &&
      group.ids.length < Math.min(group.most, most) &&
      group.bytes + bytes <= MOST_BYTES;
    if (fits && group) {
      group.ids.push(id);
      group.bytes += bytes!;
      group.most = Math.min(group.most, most);
      continue;
    }
    const ids = [id];
    groups.push({ ids, isFirst: line === 0 });
    group = isSmall ? { ids, bytes, most, line } : undefined;
  }
  return groups;
}

/**
 * How many of so many that failed together are tried together next. A quarter and not a half: each step costs a lease,
 * and the rest of the run goes on with whole groups.
 */
export const fewer = (count: number): number => Math.ceil(count / 4);
