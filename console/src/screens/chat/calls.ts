import { type Corpus, requestTo } from './corpus.ts';

/** What the screen asks of the API. */
export const callsOf = (corpus: Corpus) => [
  {
    what: 'Ask, and read the answer as a stream',
    ...requestTo(corpus, 'POST', '/chat', {
      body: { messages: [{ role: 'user', content: 'What is this about?' }] },
    }),
  },
  { what: 'List your conversations', ...requestTo(corpus, 'GET', '/chat-sessions') },
];
