import type { DocumentMetadata } from '#src/documents/document.ts';
import { isoDate, languageCode } from '#src/formats/shared/flow/metadata.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import {
  addNodes,
  childrenNamed,
  findAll,
  findChild,
  hasText,
  joinNodes,
  localName,
  make,
  makeField,
  readLine,
} from '../../tree/build.ts';
import type { Rewriter } from '../../tree/rewriter.ts';

const NAME_PARTS = ['prefix', 'given-names', 'surname', 'suffix'];

function readName(name: XmlElement | undefined): string {
  const parts = NAME_PARTS.map((part) => readLine(findChild(name, part))).filter((part) => part !== '');
  return parts.length > 0 ? parts.join(' ') : readLine(name);
}

/** Returns the name of a person or of a group of persons. */
function readContributor(contributor: XmlElement): string {
  const holder = findChild(contributor, 'name-alternatives') ?? contributor;
  const name = findChild(holder, 'name') ?? findChild(holder, 'string-name');
  if (name) return readName(name);
  const other = findChild(contributor, 'collab') ?? findChild(contributor, 'anonymous');
  const groups = new Set<XmlNode>(childrenNamed(other, 'contrib-group'));
  return other ? readLine({ ...other, children: other.children.filter((node) => !groups.has(node)) }) : '';
}

/** Joins the parts of an affiliation or address with commas if no punctuation stands between them. */
function writeAffiliation(affiliation: XmlElement, rewriter: Rewriter): XmlNode[] {
  const skipped = new Set<XmlNode>(childrenNamed(affiliation, 'label', 'institution-id'));
  const isPlain = hasText(affiliation);
  const label = findChild(affiliation, 'label') ?? findChild(affiliation, 'sup');
  const parts = affiliation.children.filter((node) => !skipped.has(node));
  const content = isPlain
    ? rewriter.inlineNodes(parts)
    : joinNodes(
        parts.filter((node) => typeof node !== 'string').map((node) => rewriter.inlineNodes([node])),
        ', ',
      );
  const hasLabel = label !== undefined && skipped.has(label);
  return hasLabel ? [make('sup', rewriter.inline(label)), ' ', ...content] : content;
}

/** Writes the names of the authors on one line, each followed by its marks of affiliations and notes. */
function writeContributors(group: XmlElement, rewriter: Rewriter): XmlNode[] {
  const names: XmlNode[][] = [];
  const others: XmlNode[][] = [];
  for (const contributor of elements(group)) {
    const part = localName(contributor.name);
    if (part !== 'contrib') {
      if (part === 'aff') others.push(writeAffiliation(contributor, rewriter));
      else if (part !== 'contrib-id' && part !== 'role') others.push(rewriter.rewrite(contributor));
      continue;
    }
    const marks = childrenNamed(contributor, 'xref')
      .map(readLine)
      .filter((mark) => mark !== '');
    const degrees = childrenNamed(contributor, 'degrees').map(readLine).join(', ');
    const name = [readContributor(contributor), degrees].filter((part) => part !== '').join(', ');
    names.push(marks.length > 0 ? [name, make('sup', [marks.join(',')])] : [name]);
    for (const part of childrenNamed(contributor, 'aff', 'bio', 'address')) {
      others.push(localName(part.name) === 'aff' ? writeAffiliation(part, rewriter) : rewriter.rewrite(part));
    }
    for (const member of findAll(findChild(contributor, 'collab'), 'contrib'))
      names.push([readContributor(member)]);
  }
  const kind = findChild(group, 'contrib')?.attributes['contrib-type'] ?? '';
  const role = getOwn(ROLES, kind);
  const line = [...(role ? [make('b', [`${role}:`]), ' '] : []), ...joinNodes(names, ', ')];
  return [...(names.length > 0 ? [make('p', line)] : []), ...writeParagraphs(uniqueTexts(others))];
}

/** Leaves out lists that repeat the text of an earlier list. */
function uniqueTexts(lists: readonly XmlNode[][]): XmlNode[][] {
  const seen = new Set<string>();
  return lists.filter((nodes) => {
    const text = nodes.map(readLine).join(' ').trim();
    if (text === '' || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

const ROLES: Record<string, string> = { editor: 'Editors', reviewer: 'Reviewers', translator: 'Translators' };

const writeParagraphs = (lists: readonly XmlNode[][]): XmlNode[] => lists.map((nodes) => make('div', nodes));

function writeTitle(meta: XmlElement | undefined, rewriter: Rewriter): XmlNode[] {
  const group = findChild(meta, 'title-group') ?? findChild(meta, 'book-title-group') ?? meta;
  const title =
    findChild(group, 'article-title') ?? findChild(group, 'book-title') ?? findChild(group, 'title');
  const subtitles = childrenNamed(group, 'subtitle').map((subtitle) => make('p', rewriter.inline(subtitle)));
  const translations = childrenNamed(group, 'trans-title-group').flatMap((translation) =>
    elements(translation).map((part) => make('p', rewriter.inline(part))),
  );
  return [...rewriter.heading(title), ...subtitles, ...translations];
}

function writeAbstract(abstract: XmlElement, rewriter: Rewriter): XmlNode[] {
  const title = findChild(abstract, 'title') ?? make('title', ['Abstract']);
  rewriter.level++;
  const nodes = rewriter.section(abstract, [findChild(abstract, 'label'), title]);
  rewriter.level--;
  return nodes;
}

function writeKeywords(group: XmlElement): XmlNode[] {
  const words = findAll(group, 'kwd', 'compound-kwd-part')
    .map(readLine)
    .filter((word) => word !== '');
  return makeField(readLine(findChild(group, 'title')) || 'Keywords', words.join(', '));
}

function writeAuthorNotes(notes: XmlElement, rewriter: Rewriter): XmlNode[] {
  return elements(notes).map((note) => make('div', rewriter.rewrite(note)));
}

function writeFunding(group: XmlElement, rewriter: Rewriter): XmlNode[] {
  const statements = childrenNamed(group, 'funding-statement');
  if (statements.length > 0) return statements.map((statement) => make('p', rewriter.inline(statement)));
  return findAll(group, 'award-group').flatMap((award) => {
    const sources = findAll(award, 'institution', 'funding-source').map((source) =>
      readLine(findChild(source, 'institution-wrap', 'institution') ?? source),
    );
    const numbers = childrenNamed(award, 'award-id').map(readLine);
    return makeField('Funding', [...sources, ...numbers].filter((part) => part !== '').join(', '));
  });
}

/** Writes the front matter of an article. Identifiers, permissions, dates and categories are left out. */
export function writeFront(front: XmlElement, rewriter: Rewriter): XmlNode[] {
  const meta = findChild(front, 'article-meta') ?? findChild(front, 'book-meta') ?? front;
  const nodes = writeTitle(meta, rewriter);
  const journal = readLine(
    findChild(front, 'journal-meta', 'journal-title-group', 'journal-title') ??
      findChild(front, 'journal-meta', 'journal-title'),
  );
  if (journal !== '') nodes.push(make('p', [make('i', [journal])]));
  const abstracts: XmlNode[] = [];
  const last: XmlNode[] = [];
  const affiliations: XmlNode[][] = [];
  for (const part of elements(meta)) {
    const name = localName(part.name);
    if (name === 'contrib-group') addNodes(nodes, writeContributors(part, rewriter));
    else if (name === 'aff') affiliations.push(writeAffiliation(part, rewriter));
    else if (name === 'author-notes') addNodes(last, writeAuthorNotes(part, rewriter));
    else if (name === 'abstract' || name === 'trans-abstract')
      addNodes(abstracts, writeAbstract(part, rewriter));
    else if (name === 'kwd-group') addNodes(abstracts, writeKeywords(part));
    else if (name === 'funding-group') addNodes(last, writeFunding(part, rewriter));
  }
  addNodes(nodes, [...writeParagraphs(uniqueTexts(affiliations)), ...last, ...abstracts]);
  rewriter.level++;
  for (const notes of childrenNamed(front, 'notes')) addNodes(nodes, rewriter.rewrite(notes));
  rewriter.level--;
  return nodes;
}

function readDate(meta: XmlElement | undefined): string | undefined {
  const date =
    childrenNamed(meta, 'pub-date').find((one) => findChild(one, 'day')) ?? findChild(meta, 'pub-date');
  const [year, month = '1', day = '1'] = ['year', 'month', 'day'].map((part) =>
    readLine(findChild(date, part)),
  );
  if (!year || !/^\d{4}$/.test(year)) return undefined;
  return isoDate(`${year}-${(month || '1').padStart(2, '0')}-${(day || '1').padStart(2, '0')}`);
}

export function readArticleMetadata(root: XmlElement): DocumentMetadata {
  const meta = findAll(root, 'article-meta', 'book-meta', 'front-stub')[0];
  const authors = childrenNamed(meta, 'contrib-group').flatMap((group) =>
    childrenNamed(group, 'contrib').filter(
      (one) => (one.attributes['contrib-type'] ?? 'author') === 'author',
    ),
  );
  const title = findAll(meta, 'article-title', 'book-title')[0];
  return {
    title: readLine(title),
    author: authors
      .map(readContributor)
      .filter((name) => name !== '')
      .join(', '),
    ...optional('createdAt', readDate(meta)),
    ...optional('language', languageCode(root.attributes['xml:lang'])),
  };
}

const optional = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value });
