/** Items that one message may name. */
export const MOST_TOGETHER = 500;
/** What is read for them, in all and for each: larger ones are done by themselves. */
const MOST_BYTES = 512 * 1024;
const SMALL_BYTES = 64 * 1024;

export interface WaitingItem extends Record<string, SqlStorageValue> {
  id: string;
  bytes: number | null;
  most: number;
}

/** The ids of items that are sent together: neighbours in the line that are small. */
export function gatherItems(waiting: readonly WaitingItem[]): string[][] {
  const groups: string[][] = [];
  let group: { ids: string[]; bytes: number; most: number } | undefined;
  for (const { id, bytes, most } of waiting) {
    const isSmall = bytes !== null && bytes <= SMALL_BYTES && most > 1;
    const fits =
      isSmall &&
      group !== undefined &&
      group.ids.length < Math.min(group.most, most) &&
      group.bytes + bytes <= MOST_BYTES;
    if (fits && group) {
      group.ids.push(id);
      group.bytes += bytes!;
      group.most = Math.min(group.most, most);
      continue;
    }
    const ids = [id];
    groups.push(ids);
    group = isSmall ? { ids, bytes, most } : undefined;
  }
  return groups;
}

/**
 * How many of so many that failed together are tried together next. A quarter and not a half: each step costs a lease,
 * and the rest of the run goes on with whole groups.
 */
export const fewer = (count: number): number => Math.ceil(count / 4);
