/**
 * Whether a JSON value has more levels of objects and lists than `most`. Works level by level and not by recursion, so
 * that no depth can end it.
 */
export function isDeeperThan(value: unknown, most: number): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 0; depth < most && level.length > 0; depth++) {
    const next: object[] = [];
    for (const container of level) {
      for (const member of Object.values(container)) if (isContainer(member)) next.push(member);
    }
    level = next;
  }
  return level.length > 0;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
