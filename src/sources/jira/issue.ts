import type { SourceContent } from '#src/ports/source.ts';
import { isDocument } from './adf/document.ts';
import { adfToMarkdown } from './adf/markdown.ts';
import { type Comment, comment, comments, each, type History, type Issue } from './answers.ts';
import type { JiraApi } from './api.ts';
import { summaryOf } from './entries.ts';
import { ELSEWHERE, HEAD, isWanted, requestedFields } from './names.ts';
import type { JiraSettings } from './settings.ts';
import { oneLine, recordOf, textIn, textOf } from './values.ts';
import { wikiToMarkdown } from './wiki-markup.ts';

/** Maximum length of a field value in the fact list, in characters. Longer values get their own section. */
const LONGEST_FACT = 200;
/** Custom field types with machine-readable values, such as ranks and development panel states. */
const MACHINES = /gh-lexo-rank$|devsummarycf$/;
const WIKI = /:textarea$/;

/** Returns an issue as Markdown. Returns `undefined` if the issue no longer exists. */
export async function issueContent(
  api: JiraApi,
  settings: JiraSettings,
  id: string,
): Promise<SourceContent | undefined> {
  const expand = ['names', 'schema', ...(settings.withChangelog ? ['changelog'] : [])].join(',');
  const issue = await api.issue(
    id,
    new URLSearchParams({ fields: requestedFields(settings.fields), expand }),
  );
  if (!issue) return undefined;
  const said = isWanted(settings.fields, 'comment') ? await commentsOf(api, issue) : [];
  const text = markdownOf(issue, said, settings);
  return { body: bodyOf(text), version: null, contentType: 'text/markdown' };
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Returns the comments included in the issue. If they are incomplete, requests all of them. */
async function commentsOf(api: JiraApi, { id, fields }: Issue): Promise<Comment[]> {
  const { data } = comments.safeParse(fields.comment);
  if (!data) return [];
  const isWhole = data.total == null || data.total <= data.comments.length;
  return isWhole ? each(comment).parse(data.comments) : api.comments(id);
}

function markdownOf(issue: Issue, said: Comment[], settings: JiraSettings): string {
  const { key, fields } = issue;
  const project = textIn(fields.project, 'name') || textIn(fields.project, 'key');
  const { facts, sections } = othersOf(issue, settings);
  const head = Object.keys(HEAD).filter((name) => isWanted(settings.fields, name));
  const lines = [
    ...(project ? [`- **Project:** ${oneLine(project)}`] : []),
    ...head.map((name) => factOf(nameOf(issue, name), textOf(fields[name]))),
    ...facts,
  ].filter((line) => line !== '');
  return `${[
    `# ${`${key} ${summaryOf(issue)}`.trim()}`,
    lines.join('\n'),
    isWanted(settings.fields, 'description') ? sectionOf(issue, 'description') : '',
    ...sections,
    listOf(nameOf(issue, 'issuelinks'), linksOf(fields.issuelinks)),
    listOf(nameOf(issue, 'subtasks'), keysOf(fields.subtasks)),
    commentSection(nameOf(issue, 'comment'), said),
    listOf('History', historyOf(issue.changelog?.histories ?? [])),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

const NAMES: Record<string, string> = {
  ...HEAD,
  ...{ description: 'Description', comment: 'Comments', issuelinks: 'Links', subtasks: 'Subtasks' },
};

function nameOf({ names }: Issue, id: string): string {
  const given = names && Object.hasOwn(names, id) ? oneLine(names[id] ?? '') : '';
  return (Object.hasOwn(NAMES, id) && NAMES[id]) || given || id;
}

const factOf = (name: string, text: string) => (text === '' ? '' : `- **${name}:** ${oneLine(text)}`);

/**
 * Renders custom fields and other fields named in the settings. Short values become facts, long ones become
 * sections.
 */
function othersOf(issue: Issue, { fields: wanted }: JiraSettings) {
  const facts: string[] = [];
  const sections: string[] = [];
  const names = Object.keys(issue.fields).filter(
    (name) =>
      !ELSEWHERE.has(name) &&
      (name.startsWith('customfield_') || name === 'environment' || wanted?.includes(name)) &&
      !MACHINES.test(issue.schema?.[name]?.custom ?? ''),
  );
  for (const name of names.sort()) {
    const value = issue.fields[name];
    const text = textOf(value);
    const isLong =
      isDocument(value) || isWiki(issue, name) || text.includes('\n') || text.length > LONGEST_FACT;
    if (isLong) sections.push(sectionOf(issue, name));
    else facts.push(factOf(nameOf(issue, name), text));
  }
  return { facts, sections };
}

const isWiki = ({ schema }: Issue, name: string) =>
  name === 'environment' || WIKI.test(schema?.[name]?.custom ?? '');

function sectionOf(issue: Issue, name: string): string {
  const value = issue.fields[name];
  const isRich = name === 'description' || isDocument(value) || isWiki(issue, name);
  const text = isRich ? richText(value, 2) : textOf(value);
  return text.trim() && `## ${nameOf(issue, name)}\n\n${text.trim()}`;
}

/** Converts rich text to Markdown. API version 3 returns a document, version 2 returns wiki markup. */
function richText(value: unknown, below: number): string {
  return typeof value === 'string' ? wikiToMarkdown(value, below) : adfToMarkdown(value, below);
}

const listOf = (name: string, items: string[]) =>
  items.length === 0 ? '' : `## ${name}\n\n${items.map((item) => `- ${item}`).join('\n')}`;

/** Returns only the issue keys. Titles of linked issues may change without updating this issue. */
const keysOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((one) => textIn(one, 'key')).filter((key) => key !== '') : [];

function linksOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((link) => {
    const { type, outwardIssue, inwardIssue } = recordOf(link) ?? {};
    const outward = textIn(outwardIssue, 'key');
    const key = outward || textIn(inwardIssue, 'key');
    return key ? [`${textIn(type, outward ? 'outward' : 'inward')} ${key}`.trim()] : [];
  });
}

function commentSection(name: string, said: Comment[]): string {
  if (said.length === 0) return '';
  const shown = said.map(({ author, created, visibility, body }) => {
    const only = visibility?.value ? ` (only for ${oneLine(visibility.value)})` : '';
    const who = oneLine(author?.displayName ?? '') || 'Somebody';
    return `### ${[who, timeOf(created)].filter(Boolean).join(', ')}${only}\n\n${richText(body, 3)}`.trim();
  });
  return [`## ${name}`, ...shown].join('\n\n');
}

function historyOf(histories: History[]): string[] {
  return histories.flatMap(({ created, author, items }) =>
    (items ?? []).map(({ field, from, to }) => {
      const who = [timeOf(created), oneLine(author?.displayName ?? '')].filter(Boolean).join(', ');
      return oneLine(`${who}: ${field ?? ''}: ${from ?? ''} → ${to ?? ''}`);
    }),
  );
}

/** Formats a time as `2026-03-04 05:06` in UTC. Returns an empty string if it is invalid. */
function timeOf(text: string | null | undefined): string {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 16).replace('T', ' ');
}
