/**
 * Returns whether a JSON value is nested deeper than `maxDepth` levels. Works level by level without
 * recursion, so that a deep value cannot overflow the stack.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: object[] = [];
    for (const container of level) {
      for (const member of Object.values(container)) if (isContainer(member)) next.push(member);
    }
    level = next;
  }
  return level.length > 0;
}

/** Returns whether a JSON value has more than `maxCount` members and items on all levels together. */
export function hasMoreValuesThan(value: unknown, maxCount: number): boolean {
  const waiting: object[] = isContainer(value) ? [value] : [];
  let count = 0;
  for (let container = waiting.pop(); container && count <= maxCount; container = waiting.pop()) {
    const members = Array.isArray(container) ? container : Object.values(container);
    count += members.length;
    for (const member of members) if (isContainer(member)) waiting.push(member);
  }
  return count > maxCount;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
