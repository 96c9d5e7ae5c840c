export const MAX_ITEMS_PER_MESSAGE = 500;
/**
 * Maximum input size in bytes, first of all items in a group, then of each item. Larger items are sent in a
 * message of their own.
 */
const MAX_GROUP_BYTES = 512 * 1024;
const MAX_SMALL_ITEM_BYTES = 64 * 1024;

export interface WaitingItem extends Record<string, SqlStorageValue> {
  id: string;
  bytes: number | null;
  most: number;
  /** Sending priority of the item: 0 if a user waits for the item, otherwise 1. */
  line: number;
}

/** Sync items that are sent in one queue message. */
export interface ItemGroup {
  ids: string[];
  isFirst: boolean;
}

/**
 * Groups consecutive small items of the same priority into messages. Large items, and items of unknown size,
 * get a message each.
 */
export function groupItems(waiting: readonly WaitingItem[]): ItemGroup[] {
  const groups: ItemGroup[] = [];
  let group: { ids: string[]; bytes: number; most: number; line: number } | undefined;
  for (const { id, bytes, most, line } of waiting) {
    const isSmall = bytes !== null && bytes <= MAX_SMALL_ITEM_BYTES && most > 1;
    const fits =
      isSmall &&
      group !== undefined &&
      group.line === line &&
      group.ids.length < Math.min(group.most, most) &&
      group.bytes + bytes <= MAX_GROUP_BYTES;
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
 * Returns the group size for retrying `count` items that failed together. Quarters isolate the failing item
 * in fewer steps than halves, and each step costs a lease. The rest of the run continues with full groups.
 */
export const getSmallerGroupSize = (count: number): number => Math.ceil(count / 4);
