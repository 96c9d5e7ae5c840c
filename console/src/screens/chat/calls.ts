import { t } from '../../i18n/messages.ts';
import { type Corpus, requestTo } from './corpus.ts';

export const buildChatCalls = (corpus: Corpus) => [
  {
    what: t('Ask a question and stream the answer'),
    ...requestTo(corpus, 'POST', '/chat', {
      body: { messages: [{ role: 'user', content: t('What is this about?') }] },
    }),
  },
  { what: t('List your conversations'), ...requestTo(corpus, 'GET', '/chat-sessions') },
];
