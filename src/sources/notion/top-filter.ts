import { ignoreMissing, type NotionApi } from './api.ts';
import { type Found, getParent, isGone, type Parent } from './objects.ts';

/**
 * Maximum number of Notion objects for which the filter remembers whether they are visible. Further objects
 * are requested again.
 */
const MAX_KEPT = 20_000;

/**
 * Creates a filter that keeps only search results without a parent that the Notion integration can see.
 * Notion's search may omit children of a visible page, but never the topmost page itself.
 */
export function createTopFilter(api: NotionApi) {
  const seen = new Map<string, boolean>();
  const keep = (key: string, isSeen: boolean) => {
    if (seen.size < MAX_KEPT) seen.set(key, isSeen);
    return isSeen;
  };

  async function isSeen(parent: Parent): Promise<boolean> {
    const key = `${parent.kind} ${parent.id}`;
    return (
      seen.get(key) ?? keep(key, (await ignoreMissing<unknown>(api[parent.kind](parent.id))) !== undefined)
    );
  }

  return async (found: Found[]): Promise<Found[]> => {
    const live = found.filter((each) => !isGone(each));
    for (const { object, id, parent } of live) {
      if (object === 'page') keep(`page ${id}`, true);
      else if (getParent(parent)?.kind === 'database') keep(`database ${getParent(parent)!.id}`, true);
    }
    const tops: Found[] = [];
    for (const each of live) {
      const above = getParent(each.object === 'page' ? each.parent : each.database_parent);
      if (!above || !(await isSeen(above))) tops.push(each);
    }
    return tops;
  };
}
export type TopFilter = ReturnType<typeof createTopFilter>;
