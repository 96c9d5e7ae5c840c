import { type Corpus, requestTo } from './corpus.ts';

export const buildChatCalls = (corpus: Corpus) => [
  {
    what: 'Ask a question and stream the answer',
    ...requestTo(corpus, 'POST', '/chat', {
      body: { messages: [{ role: 'user', content: 'What is this about?' }] },
    }),
  },
  { what: 'List your conversations', ...requestTo(corpus, 'GET', '/chat-sessions') },
];
