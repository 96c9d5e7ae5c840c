import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findAll, findChild, make, makeList, readLine } from '../../tree/build.ts';

export interface Party {
  name: string;
  place: string;
}

export interface Bibliography {
  title: string;
  publication: string;
  /** Date of publication as YYYY-MM-DD, or undefined if unknown. */
  publicationDate?: string | undefined;
  application: string;
  inventors: Party[];
  applicants: Party[];
  assignees: Party[];
  /** Foreign applications whose priority is claimed. */
  priorities: string[];
  /** Earlier and later applications that the patent belongs to. */
  related: string[];
  agents: Party[];
  examiners: Party[];
  /** Name and address for letters. */
  correspondence: string;
  disclaimer: string;
  classes: string[];
  citations: string[];
}

/** Converts a date such as 20180104 to 2018-01-04. Other texts stay as they are. */
export function formatDate(date: string): string {
  const parts = /^(\d{4})(\d\d)(\d\d)$/.exec(date);
  if (!parts) return date;
  const [, year, month, day] = parts;
  return [year, month, day].filter((part) => part !== '00').join('-');
}

const join = (parts: readonly string[], separator: string) =>
  parts.filter((part) => part !== '').join(separator);

const readFirst = (parent: XmlElement | undefined, ...names: string[]): string =>
  readLine(findAll(parent, ...names)[0]);

/** Writes a document number with its country, kind and date. */
export function readDocument(document: XmlElement | undefined): string {
  if (!document) return '';
  const country = readFirst(document, 'country', 'country-code');
  const number = readFirst(document, 'doc-number');
  const kind = readFirst(document, 'kind', 'kind-code');
  const date = formatDate(readFirst(document, 'date', 'document-date', 'filing-date'));
  const id = join([country, number, kind], ' ');
  return date === '' ? id : join([id, `(${date})`], ' ');
}

function readParty(party: XmlElement): Party {
  const organization = readFirst(party, 'orgname', 'organization-name');
  const person = join(
    [
      readFirst(party, 'first-name', 'given-name'),
      readFirst(party, 'middle-name'),
      readFirst(party, 'last-name', 'family-name'),
      readFirst(party, 'suffix', 'name-suffix'),
    ],
    ' ',
  );
  const place = join(
    [readFirst(party, 'city'), readFirst(party, 'state'), readFirst(party, 'country', 'country-code')].filter(
      (part) => part !== 'unknown',
    ),
    ', ',
  );
  return { name: organization || person || readFirst(party, 'name'), place };
}

const readParties = (source: XmlElement, ...names: string[]): Party[] =>
  findAll(source, ...names)
    .map(readParty)
    .filter(({ name }) => name !== '');

/** Writes a class of the international or cooperative classification, such as A01G 7/04. */
function readClass(element: XmlElement): string {
  const plain = readFirst(element, 'ipc', 'main-classification');
  if (plain !== '') return [plain, ...findAll(element, 'further-classification').map(readLine)].join('; ');
  const national = findAll(element, 'uspc')[0];
  if (national) return `${readFirst(national, 'class')}/${readFirst(national, 'subclass')}`;
  const part = (name: string) => readLine(findChild(element, name));
  const symbol = `${part('section')}${part('class')}${part('subclass')}`;
  const group = part('main-group');
  return group === '' ? symbol : `${symbol} ${group}/${part('subgroup')}`;
}

function readCitation(citation: XmlElement): string {
  const other = readFirst(citation, 'othercit');
  if (other !== '') return other;
  const document = findAll(citation, 'document-id')[0];
  return join([readDocument(document), readFirst(document, 'name')], ' ');
}

/** Joins the lines of an address with commas. */
function readAddress(address: XmlElement | undefined): string {
  const lines: string[] = [];
  const visit = (element: XmlElement) => {
    for (const part of elements(element)) {
      if (elements(part).length > 0) visit(part);
      else lines.push(readLine(part));
    }
  };
  if (address) visit(address);
  return join(lines, ', ');
}

const unique = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ''))];

const CLASSES = [
  'classification-ipcr',
  'classification-cpc',
  'classification-ipc-primary',
  'classification-ipc-secondary',
  'classification-locarno',
  'classification-national',
  'classification-us-primary',
  'classification-us-secondary',
];

export function readBibliography(source: XmlElement): Bibliography {
  const isCited = new Set(
    findAll(
      source,
      'us-references-cited',
      'references-cited',
      'us-field-of-classification-search',
      'field-of-search',
    ).flatMap((part) => findAll(part, ...CLASSES)),
  );
  const publication =
    findAll(findAll(source, 'publication-reference')[0], 'document-id')[0] ??
    findChild(source, 'document-id');
  const application = findAll(source, 'application-reference', 'domestic-filing-data')[0];
  const date = formatDate(readFirst(publication, 'date', 'document-date'));
  return {
    title: readFirst(source, 'invention-title', 'title-of-invention'),
    publication: readDocument(publication),
    publicationDate: /^\d{4}-\d\d-\d\d$/.test(date) ? date : undefined,
    application: readDocument(application),
    inventors: readInventors(source),
    applicants: readParties(source, 'us-applicant', 'applicant'),
    assignees: readParties(source, 'assignee'),
    priorities: findAll(source, 'priority-claim', 'foreign-priority-data').map(readDocument),
    related: unique(
      findAll(source, 'us-related-documents', 'related-documents', 'continuity-data').flatMap((part) =>
        findAll(part, 'document-id').map(readDocument),
      ),
    ),
    agents: readParties(source, 'agent'),
    examiners: readParties(source, 'primary-examiner', 'assistant-examiner'),
    correspondence: readAddress(findAll(source, 'correspondence-address')[0]),
    disclaimer: readFirst(source, 'disclaimer'),
    classes: unique(
      findAll(source, ...CLASSES)
        .filter((one) => !isCited.has(one))
        .map(readClass),
    ),
    citations: findAll(source, 'us-citation', 'citation').map(readCitation),
  };
}

/** Returns the inventors. In grants before 2013, applicants are the inventors. */
function readInventors(source: XmlElement): Party[] {
  const named = readParties(source, 'inventor', 'first-named-inventor');
  if (named.length > 0) return named;
  return findAll(source, 'applicant', 'us-applicant')
    .filter(({ attributes }) => attributes['app-type'] === 'applicant-inventor')
    .map(readParty);
}

const writeParty = ({ name, place }: Party) => (place === '' ? name : `${name} (${place})`);

/** Writes bibliographic data as a list of fields. The cited documents follow under a heading of their own. */
export function writeBibliography(bibliography: Bibliography): XmlNode[] {
  const inventors = bibliography.inventors.map(writeParty).join('; ');
  const applicants = bibliography.applicants.map(writeParty).join('; ');
  const fields: [label: string, value: string][] = [
    ['Publication', bibliography.publication],
    ['Application', bibliography.application],
    ['Priority', bibliography.priorities.join('; ')],
    ['Inventors', inventors],
    ['Applicants', applicants === inventors ? '' : applicants],
    ['Assignees', bibliography.assignees.map(writeParty).join('; ')],
    ['Agents', bibliography.agents.map(writeParty).join('; ')],
    ['Correspondence', bibliography.correspondence],
    ['Examiners', bibliography.examiners.map(writeParty).join('; ')],
    ['Related documents', bibliography.related.join('; ')],
    ['Classification', bibliography.classes.join('; ')],
    ['Disclaimer', bibliography.disclaimer],
  ];
  const list = fields
    .filter(([, value]) => value !== '')
    .map(([label, value]): XmlNode[] => [make('b', [`${label}:`]), ` ${value}`]);
  const citations = bibliography.citations.filter((text) => text !== '');
  return [
    ...makeList(list),
    ...(citations.length > 0 ? [make('h2', ['References cited'])] : []),
    ...makeList(citations.map((text) => [text])),
  ];
}
