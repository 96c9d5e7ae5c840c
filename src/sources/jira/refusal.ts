import { SourceError } from '#src/ports/source.ts';
import type { Connection } from './settings.ts';

/**
 * The error of an answer that says who or where is wrong; undefined: it is an answer. Jira takes a request with a wrong
 * token for one of a stranger, and may show it an empty list with status 200: only a header tells.
 */
export function refusalOf(
  { status, headers }: Response,
  { credentials, place }: Connection,
  isFile: boolean,
): SourceError | undefined {
  const login = headers.get('x-seraph-loginreason') ?? '';
  if (status === 401 || /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(login)) {
    const denied = /AUTHENTICATION_DENIED/.test(login) ? ' until somebody has logged in in a browser' : '';
    return refused(`Jira does not take these credentials${denied}, see ${credentials}.`, 401);
  }
  if (status >= 300 && status < 400) {
    return refused(`Jira's address leads elsewhere, perhaps to a page to log in, see ${place}.`, status);
  }
  const isPage = /html/i.test(headers.get('content-type') ?? '');
  if (isPage && !isFile && (status < 300 || status === 404)) {
    return refused(`A page for people answers, not the API of Jira, see ${place}.`, status);
  }
  return undefined;
}

const refused = (message: string, status: number) => new SourceError(message, { retryable: false, status });
