import { z } from 'zod';
import {
  type Source,
  type SourceContent,
  type SourceEntry,
  SourceError,
  type SourcePage,
} from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { JiraApi, type Server } from './api.ts';
import { ATTACHMENT, buildIssueEntries, getListedFields } from './entries.ts';
import { readIssue } from './issue.ts';
import { issue, lenientList } from './responses.ts';
import type { JiraSettings } from './settings.ts';

/**
 * Position in a listing of Jira issues. Jira Cloud uses a page token. Jira Data Center uses an offset and the
 * id of the last issue.
 */
const position = z.union([
  z.object({ token: z.string() }),
  z.object({ startAt: z.int().min(1), last: z.string() }),
]);

type Position = z.infer<typeof position>;

/**
 * Number of issues by which the listing first steps back if earlier issues have disappeared in the meantime.
 */
const STEP_BACK = 100;

const createFormatError = () =>
  new SourceError('Jira returned issues in an unexpected format.', { retryable: false });

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
      return readIssue(api(), settings, id);
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
  const at = cursor === null ? null : parsePosition(cursor);
  const { issues, next } = await readPage(api, getListedFields(settings), server, at);
  // Jira returns an empty list to anonymous requests. The credentials are checked, because an empty listing
  // would delete all files.
  if (at === null && issues.length === 0) await api.myself();
  const known = lenientList(issue).parse(issues);
  if (known.length === 0 && issues.length > 0) throw createFormatError();
  const entries: SourceEntry[] = [];
  for (const one of known) entries.push(...(await buildIssueEntries(one, settings, server)));
  return { entries, cursor: next && JSON.stringify(next), leftOut: issues.length - known.length };
}

async function readPage(api: JiraApi, fields: string[], { isCloud }: Server, at: Position | null) {
  if (isCloud) {
    const token = at && 'token' in at ? { nextPageToken: at.token } : {};
    const { issues, nextPageToken } = await api.search(token, fields);
    return { issues, next: nextPageToken ? { token: nextPageToken } : null };
  }
  const { startAt, last } = at && 'last' in at ? at : { startAt: 0, last: null };
  // Requests the last issue of the previous page again. If another issue is now at the same offset, earlier
  // issues have disappeared from the list.
  const from = Math.max(0, startAt - 1);
  const found = await api.search({ startAt: from }, fields);
  if (last === null || getIssueId(found.issues[0]) === last) {
    return {
      issues: last === null ? found.issues : found.issues.slice(1),
      next: getNextPosition(from, found),
    };
  }
  for (let back = STEP_BACK; ; back *= 2) {
    const earlier = Math.max(0, startAt - back);
    const again = await api.search({ startAt: earlier }, fields);
    const place = again.issues.findIndex((one) => getIssueId(one) === last);
    if (place < 0 && earlier > 0) continue;
    return { issues: again.issues.slice(place + 1), next: getNextPosition(earlier, again) };
  }
}

function getNextPosition(from: number, found: { issues: unknown[]; total?: number | null }): Position | null {
  if (found.total == null) throw createFormatError();
  const startAt = from + found.issues.length;
  if (startAt >= found.total) return null;
  if (found.issues.length === 0) {
    const message = `Jira reported ${found.total} matching issues but returned none after the first ${startAt}.`;
    throw new SourceError(message, { retryable: true });
  }
  const last = getIssueId(found.issues.at(-1));
  if (last === '') throw createFormatError();
  return { startAt, last };
}

function getIssueId(value: unknown): string {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : '';
}

function parsePosition(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw new SourceError(
      'The listing cannot continue because its stored position is invalid. Start a new sync.',
      { retryable: false },
    );
  }
}
