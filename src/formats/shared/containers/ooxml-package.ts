import type { DocumentMetadata } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { isoDate, languageCode } from '#src/formats/shared/flow/metadata.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { elements, getTextContent, parseXml, type XmlElement } from '#src/text-formats/xml.ts';
import { type Archive, openZip } from './zip.ts';

export interface Relationship {
  id: string;
  /** Last segment of the type's URI, such as 'image', 'slide' or 'hyperlink'. */
  type: string;
  /** Name of a part in the package, or a URL outside the file if `external` is true. */
  target: string;
  external: boolean;
}

/** An Office Open XML file: a zip archive of named parts with relationships between them. */
export interface OoxmlPackage {
  archive: Archive;
  /** Name of the main document part. */
  main: string;
  xml(part: string | undefined): XmlElement | undefined;
  relationships(part: string): Map<string, Relationship>;
  metadata: DocumentMetadata;
}

function resolve(base: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const path = base.split('/').slice(0, -1);
  for (const step of target.split('/')) {
    if (step === '..') path.pop();
    else if (step !== '.' && step !== '') path.push(step);
  }
  return path.join('/');
}

function readRelationships(archive: Archive, part: string): Map<string, Relationship> {
  const slash = part.lastIndexOf('/') + 1;
  const root = parseXml(archive.text(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`), {
    local: true,
  });
  return new Map(
    elements(root, 'Relationship').map(({ attributes }) => {
      const { Id: id = '', Type = '', Target = '', TargetMode } = attributes;
      const external = TargetMode === 'External';
      const type = Type.slice(Type.lastIndexOf('/') + 1);
      return [id, { id, type, target: external ? Target : resolve(part, Target), external }];
    }),
  );
}

function readMetadata(archive: Archive, part: string): DocumentMetadata {
  const fields = new Map(
    elements(parseXml(archive.text(part), { local: true })).map((field) => [
      field.name,
      getTextContent(field).trim(),
    ]),
  );
  return {
    title: fields.get('title'),
    author: fields.get('creator'),
    createdAt: isoDate(fields.get('created')),
    modifiedAt: isoDate(fields.get('modified')),
    language: languageCode(fields.get('language')),
    subject: fields.get('subject'),
    keywords: fields.get('keywords'),
  };
}

/**
 * Opens a package. `defaultMain` names the main part if the package does not declare one. Throws ParseError
 * FILE_IS_BROKEN if the file has no main part.
 */
export function openPackage(bytes: Uint8Array, defaultMain: string, budget: WorkBudget): OoxmlPackage {
  const archive = openZip(bytes, { budget });
  const root = [...readRelationships(archive, '').values()];
  const declared = root.find(({ type }) => type === 'officeDocument')?.target;
  const main = declared && archive.has(declared) ? declared : defaultMain;
  if (!archive.has(main))
    throw new ParseError('FILE_IS_BROKEN', `The file is damaged: it has no ${defaultMain}.`);
  const relationships = new Map<string, Map<string, Relationship>>();
  const core = root.find(({ type }) => type === 'core-properties')?.target ?? 'docProps/core.xml';
  return {
    archive,
    main,
    xml: (part) => (part === undefined ? undefined : parseXml(archive.text(part))),
    relationships(part) {
      const known = relationships.get(part) ?? readRelationships(archive, part);
      relationships.set(part, known);
      return known;
    },
    metadata: readMetadata(archive, core),
  };
}

/**
 * Returns the value of an on/off property. An element without a value means on; a missing element means off.
 */
export function isOn(element: XmlElement | undefined): boolean {
  if (!element) return false;
  const value = element.attributes['w:val'] ?? element.attributes.val;
  return value === undefined || !['0', 'false', 'off', 'none'].includes(value);
}
