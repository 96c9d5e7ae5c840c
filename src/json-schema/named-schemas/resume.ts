import type { JsonSchema } from '#src/json-schema/schema.ts';

type Members = Record<string, JsonSchema>;

const text = (description?: string): JsonSchema => ({ type: 'string', ...(description && { description }) });
const texts = (description: string): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string' },
});
const list = (description: string, properties: Members): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'object', properties },
});

const url = text('Address on the web');
const summary = text('In a few sentences');
const highlights = texts('What was achieved');
/** The format JSON Resume allows dates without a day or month, so these fields are plain strings. */
const period = { startDate: text('First day, month or year'), endDate: text('Last day, month or year') };

const basics: JsonSchema = {
  type: 'object',
  description: 'The person',
  properties: {
    name: text('Full name'),
    label: text('Profession'),
    image: text('Address of a picture'),
    email: { type: 'string', format: 'email' },
    phone: text('Telephone number'),
    url,
    summary,
    location: {
      type: 'object',
      properties: {
        address: text('Street and number'),
        postalCode: text('Postal code, ZIP'),
        city: text(),
        countryCode: text('Two letters of ISO 3166-1'),
        region: text('State or province'),
      },
    },
    profiles: list('Accounts of social networks', { network: text(), username: text(), url }),
  },
};

/** Schema with the fields of JSON Resume (jsonresume.org). */
export const resume: JsonSchema = {
  type: 'object',
  title: 'Resume',
  properties: {
    basics,
    work: list('Employments', {
      ...{ name: text('Company'), location: text('Where it is'), description: text('What it does') },
      ...{ position: text('Role'), url, ...period, summary, highlights },
    }),
    volunteer: list('Voluntary work', {
      ...{ organization: text(), position: text('Role'), url, ...period, summary, highlights },
    }),
    education: list('Schools and universities', {
      ...{ institution: text(), url, area: text('Subject'), studyType: text('Degree'), ...period },
      ...{ score: text('Grade'), courses: texts('Courses') },
    }),
    awards: list('Awards', { title: text(), date: text(), awarder: text('Who gave it'), summary }),
    certificates: list('Certificates', { name: text(), date: text(), url, issuer: text('Who issued it') }),
    publications: list('Publications', {
      ...{ name: text('Title'), publisher: text(), releaseDate: text('Date of publication'), url, summary },
    }),
    skills: list('Skills', { name: text(), level: text('How well'), keywords: texts('Parts of it') }),
    languages: list('Languages spoken', { language: text(), fluency: text('How well') }),
    interests: list('Interests', { name: text(), keywords: texts('Parts of it') }),
    references: list('References', { name: text('Of the person'), reference: text('What they say') }),
    projects: list('Projects', {
      ...{ name: text(), description: text(), highlights, keywords: texts('Technologies'), ...period },
      ...{ url, roles: texts('Roles'), entity: text('For whom'), type: text('Kind of project') },
    }),
  },
};
