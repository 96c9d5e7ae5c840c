import type { Source, SourceContent } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { JiraApi } from './api.ts';
import { ATTACHMENT } from './entries.ts';
import { issueContent } from './issue.ts';
import { listingPage } from './listing.ts';
import type { JiraSettings } from './settings.ts';

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
