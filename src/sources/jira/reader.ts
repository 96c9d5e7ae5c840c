import { z } from 'zod';
import {
  type Source,
  type SourceContent,
  type SourceEntry,
  SourceError,
  type SourcePage,
} from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { each, issue } from './answers.ts';
import { JiraApi, type Server } from './api.ts';
import { ATTACHMENT, entriesOfIssue, listedFields } from './entries.ts';
import { issueContent } from './issue.ts';
import type { JiraSettings } from './settings.ts';

/**
 * Position of a listing. Jira Cloud uses a page token, Jira Data Center uses an offset and the id of the last
 * issue.
 */
const position = z.union([
  z.object({ token: z.string() }),
  z.object({ startAt: z.int().min(1), last: z.string() }),
]);

type Position = z.infer<typeof position>;

/** Number of issues to step back first if earlier issues have disappeared during the listing. */
const STEP_BACK = 100;

const unreadable = () =>
  new SourceError('Jira answered the search with issues of another shape.', { retryable: false });

export function openJira(settings: JiraSettings, deps: SourceDeps): Source {
  let opened: JiraApi | undefined;
  const api = () => {
    opened ??= new JiraApi(settings, deps);
    return opened;
  };
  return {
    list: async (cursor) => listingPage(api(), settings, cursor),
    async read(id): Promise<SourceContent | undefined> {
      if (id.startsWith(ATTACHMENT)) return api().attachment(id.slice(ATTACHMENT.length));
      return issueContent(api(), settings, id);
    },
  };
}

export async function checkJira(settings: JiraSettings, deps: SourceDeps): Promise<void> {
  const api = new JiraApi(settings, deps);
  await api.server();
  await api.myself();
  await api.search({}, ['id'], 1);
}

async function listingPage(api: JiraApi, settings: JiraSettings, cursor: string | null): Promise<SourcePage> {
  const server = await api.server();
  const at = cursor === null ? null : positionOf(cursor);
  const { issues, next } = await pageOf(api, listedFields(settings), server, at);
  // Jira returns an empty list for anonymous requests, which would delete all files. Check that the
  // credentials are valid.
  if (at === null && issues.length === 0) await api.myself();
  const known = each(issue).parse(issues);
  if (known.length === 0 && issues.length > 0) throw unreadable();
  const entries: SourceEntry[] = [];
  for (const one of known) entries.push(...(await entriesOfIssue(one, settings, server)));
  return { entries, cursor: next && JSON.stringify(next), leftOut: issues.length - known.length };
}

async function pageOf(api: JiraApi, fields: string[], { isCloud }: Server, at: Position | null) {
  if (isCloud) {
    const token = at && 'token' in at ? { nextPageToken: at.token } : {};
    const { issues, nextPageToken } = await api.search(token, fields);
    return { issues, next: nextPageToken ? { token: nextPageToken } : null };
  }
  const { startAt, last } = at && 'last' in at ? at : { startAt: 0, last: null };
  // Request the last issue of the previous page again. If another issue is at its offset, earlier issues have
  // disappeared.
  const from = Math.max(0, startAt - 1);
  const found = await api.search({ startAt: from }, fields);
  if (last === null || idOf(found.issues[0]) === last) {
    return { issues: last === null ? found.issues : found.issues.slice(1), next: nextOf(from, found) };
  }
  for (let back = STEP_BACK; ; back *= 2) {
    const earlier = Math.max(0, startAt - back);
    const again = await api.search({ startAt: earlier }, fields);
    const place = again.issues.findIndex((one) => idOf(one) === last);
    if (place < 0 && earlier > 0) continue;
    return { issues: again.issues.slice(place + 1), next: nextOf(earlier, again) };
  }
}

function nextOf(from: number, found: { issues: unknown[]; total?: number | null }): Position | null {
  if (found.total == null) throw unreadable();
  const startAt = from + found.issues.length;
  if (startAt >= found.total) return null;
  if (found.issues.length === 0) {
    const message = `Jira says that ${found.total} issues fit the query, and lists none after the first ${startAt}.`;
    throw new SourceError(message, { retryable: true });
  }
  const last = idOf(found.issues.at(-1));
  if (last === '') throw unreadable();
  return { startAt, last };
}

function idOf(value: unknown): string {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : '';
}

function positionOf(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw new SourceError('The listing cannot go on from where it was.', { retryable: false });
  }
}
