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

/** What is longer than a line of it is a section of its own. */
const LONGEST_FACT = 200;
/** Types of fields whose texts are for programs: places in an order, the state of a panel. */
const MACHINES = /gh-lexo-rank$|devsummarycf$/;
const WIKI = /:textarea$/;

/** An issue as Markdown; undefined: it is no longer there. */
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

/** Those that came with the issue, or all of them where these are not all. */
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

/** As people see the field called. */
function nameOf({ names }: Issue, id: string): string {
  const given = names && Object.hasOwn(names, id) ? oneLine(names[id] ?? '') : '';
  return (Object.hasOwn(NAMES, id) && NAMES[id]) || given || id;
}

const factOf = (name: string, text: string) => (text === '' ? '' : `- **${name}:** ${oneLine(text)}`);

/** Custom fields, and others that the settings name, in a line or in a section. */
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

/** A document of version 3 of the API, or the wiki markup of version 2. */
function richText(value: unknown, below: number): string {
  return typeof value === 'string' ? wikiToMarkdown(value, below) : adfToMarkdown(value, below);
}

const listOf = (name: string, items: string[]) =>
  items.length === 0 ? '' : `## ${name}\n\n${items.map((item) => `- ${item}`).join('\n')}`;

/** Keys alone: what is linked may be renamed while this issue is as it was. */
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

/** 2026-03-04 05:06, UTC. */
function timeOf(text: string | null | undefined): string {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 16).replace('T', ' ');
}
