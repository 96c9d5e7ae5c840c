// Prompts as chat front ends build them around a conversation: the same parts in the same order, in other words.

const TALK = [
  ['user', 'When was the Corran bridge opened?'],
  ['assistant', 'The Corran bridge was opened in 1893. [1]'],
] as const;

const lines = (format: (role: string, text: string) => string) =>
  TALK.map(([role, text]) => format(role, text)).join('\n');
const capitals = lines((role, text) => `${role.toUpperCase()}: ${text}`);
const history = `<chat_history>\n${capitals}\n</chat_history>`;
const user = (content: string) => [{ role: 'user', content }];
const system = (rules: string, content: string) => [
  { role: 'system', content: rules },
  { role: 'user', content },
];

/** Prompt with headings for task, rules and output, and the conversation at the end. */
const sections = (task: string, rules: string, output: string) =>
  user(
    `### Task:\n${task}\n\n### Guidelines:\n${rules}\n\n### Output:\nJSON format: ${output}\n\n### Chat History:\n${history}`,
  );

interface Prompt {
  name: string;
  messages: { role: string; content: string }[];
  kind: string;
  /** What is answered without a language model. */
  answer: unknown;
}

const TITLE = 'Corran bridge opened';

export const PROMPTS: Prompt[] = [
  {
    name: 'Open WebUI, title',
    messages: sections(
      'Generate a short title that sums up the chat history.',
      '- Two to four words.\n- Respond with the raw JSON object alone.',
      '{ "title": "the title" }\n### Examples:\n- { "title": "Stock Trends" },\n- { "title": "Remote Work" }',
    ),
    kind: 'title',
    answer: { title: TITLE },
  },
  {
    name: 'Open WebUI, tags',
    messages: sections(
      'Generate 1-3 broad tags that categorize the chat history, and 1-3 tags of subtopics.',
      '- Use only ["General"] if the content is too short.',
      '{ "tags": ["tag1", "tag2"] }',
    ),
    kind: 'tags',
    answer: { tags: ['Corran', 'bridge', 'opened'] },
  },
  {
    name: 'Open WebUI, follow-up questions',
    messages: sections(
      'Suggest 3-5 follow-up questions that the user might ask next in this conversation.',
      '- Write from the point of view of the user.',
      '{ "follow_ups": ["Question 1?", "Question 2?"] }',
    ),
    kind: 'follow_ups',
    answer: { follow_ups: [] },
  },
  {
    name: 'Open WebUI, search queries',
    messages: sections(
      'Analyze the chat history to determine whether search queries are needed, and generate 1-3 of them.',
      '- Respond exclusively with a JSON object.',
      '{ "queries": ["query1", "query2"] }',
    ),
    kind: 'queries',
    answer: { queries: ['When was the Corran bridge opened?'] },
  },
  {
    name: 'Open WebUI, completion of what is being typed',
    messages: user(
      `### Task:\nYou complete texts.\n### Output Rules:\n- Respond only in JSON: \`{ "text": "<completion>" }\`.\n### Context:\n${history}\n<type>General</type>\n<text>The bridge</text>`,
    ),
    kind: 'other',
    answer: { text: '' },
  },
  {
    name: 'LibreChat, title as text',
    messages: user(
      `Provide a title of five words or less for the conversation, in title case. Only return the title itself.\n\nConversation:\n${lines((role, text) => `${role === 'user' ? 'User' : 'AI'}: ${text}`)}`,
    ),
    kind: 'title',
    answer: TITLE,
  },
  {
    name: 'LibreChat, title after the conversation',
    messages: [
      ...TALK.map(([role, content]) => ({ role: role as string, content: content as string })),
      ...user('Provide a concise title for the conversation. Only return the title itself.'),
    ],
    kind: 'title',
    answer: TITLE,
  },
  {
    name: 'LobeChat, title',
    messages: system(
      'You summarize conversations. Generate a short title for the conversation.\nRules:\n- Output ONLY the title\n- At most 10 words\n- Language of the locale en-US',
      lines((role, text) => `${role}: ${text}`),
    ),
    kind: 'title',
    answer: TITLE,
  },
  {
    name: 'LobeChat, title of a single question',
    messages: system(
      'Generate a concise title of the conversation. Output only the title, at most 10 words.',
      'user: When was the Corran bridge opened?',
    ),
    kind: 'title',
    answer: TITLE,
  },
  {
    name: 'LobeChat, title in Chinese',
    messages: system(
      '你是一名助理，请将用户的会话总结为标题',
      `${lines((role, text) => `${role}: ${text}`)}\n\n请总结上述对话为10个字以内的标题，不要标点`,
    ),
    kind: 'title',
    answer: TITLE,
  },
  {
    name: 'LobeChat, summary',
    messages: system(
      'You extract the key points of conversations. The conversation is in the <chat_history> tags.',
      `<chat_history>\n${lines((role, text) => `<${role}>${text}</${role}>`)}\n</chat_history>\n\nPlease summarize the conversation in at most 400 words.`,
    ),
    kind: 'summary',
    answer: 'When was the Corran bridge opened?\nThe Corran bridge was opened in 1893.',
  },
  {
    name: 'LobeChat, question that stands alone',
    messages: system(
      `Given the following conversation and a follow-up question, rephrase it to be a standalone query.\n<chatHistory>\n${lines((role, text) => `${role}: ${text}`)}\n</chatHistory>\n`,
      `Follow Up Input: And what colour is it?, it's standalone query:`,
    ),
    kind: 'question',
    answer: 'And what colour is it? Corran bridge opened',
  },
  {
    name: 'a title in German',
    messages: [
      ...TALK.map(([role, content]) => ({ role: role as string, content: content as string })),
      ...user('Erstelle bitte einen kurzen Titel für diese Unterhaltung.'),
    ],
    kind: 'title',
    answer: TITLE,
  },
  {
    name: 'a title in Japanese',
    messages: [
      ...TALK.map(([role, content]) => ({ role: role as string, content: content as string })),
      ...user('この会話のタイトルを付けてください。'),
    ],
    kind: 'title',
    answer: TITLE,
  },
];

const talk = TALK.map(([role, content]) => ({ role: role as string, content: content as string }));

/** Questions about documents that have words of such prompts. */
export const QUESTIONS: { role: string; content: string }[][] = [
  user('What is the title of the conversation in chapter 3?'),
  user('Write a title for this chat.'),
  [...talk, ...user('What is the title of the chapter about the Corran bridge?')],
  [...talk, ...user('Generate a title for the chapter about the Corran bridge.')],
  [...talk, ...user('Summarize the conversation between Ada and the harbour master.')],
  [...talk, ...user('Summarize the chapter about the bridge.')],
  [...talk, ...user('Which tags did the messages of the harbour office have?')],
  [...talk, ...user('Who suggested the follow-up questions in the chat with the engineer?')],
  user('Assistant: what does this title mean in the manual?'),
  user('Provide the search queries that the manual lists.'),
  [
    { role: 'system', content: 'You write a title for each chat. Answer in JSON: {"title": "…"}.' },
    ...user('When was the Corran bridge opened?'),
  ],
  [...user('Generate a title for the conversation.'), { role: 'assistant', content: 'Bridges' }],
];
