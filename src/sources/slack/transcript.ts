import type { Message } from './api.ts';

export interface Said {
  message: Message;
  replies: Message[];
}

export interface Names {
  user(id: string): Promise<string>;
}

/** A day of a channel as Markdown: who said what when, with replies below what they reply to. */
export async function transcriptOf(title: string, said: Said[], names: Names): Promise<string> {
  const parts = [`# ${title}`];
  for (const { message, replies } of said) {
    parts.push(await spoken(message, names));
    for (const reply of replies) parts.push(quoted(await spoken(reply, names)));
  }
  return `${parts.join('\n\n')}\n`;
}

async function spoken(message: Message, names: Names): Promise<string> {
  const { ts, user, username, text, attachments } = message;
  const name = username || (user ? await names.user(user) : 'Somebody');
  const time = new Date(Number(ts) * 1000).toISOString().slice(11, 16);
  const words = [text, ...(attachments ?? []).flatMap(wordsOf)].filter((each) => each);
  return `**${name}** ${time}: ${await plain(words.join('\n'), names)}`;
}

/** What programs say beside their text; `fallback` is for those that cannot show the rest. */
function wordsOf({ title, text, fallback }: NonNullable<Message['attachments']>[number]) {
  return title || text ? [title, text] : [fallback];
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
const decoded = (text: string): string => text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity]!);

/** Text with the vendor's marks of people, channels and links as Markdown has them. */
async function plain(text: string, names: Names): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  // In between nothing is a mark: the vendor writes the sign itself as an entity.
  for (const { 0: whole, 1: mark = '', index } of text.matchAll(/<([^<>]{1,4000})>/g)) {
    parts.push(decoded(text.slice(at, index)), await shown(mark, names));
    at = index + whole.length;
  }
  return [...parts, decoded(text.slice(at))].join('');
}

async function shown(mark: string, names: Names): Promise<string> {
  const split = mark.indexOf('|');
  const target = split < 0 ? mark : mark.slice(0, split);
  const label = split < 0 ? '' : decoded(mark.slice(split + 1));
  const kind = target[0];
  const rest = target.slice(1);
  if (kind === '@') return `@${label || (await names.user(rest))}`;
  if (kind === '#') return `#${label || rest}`;
  if (kind === '!') return label || `@${rest.split('^')[0]}`;
  const address = decoded(target);
  return label && label !== address ? `[${label}](${address})` : address;
}
