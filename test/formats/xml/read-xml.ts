import type { DocumentMetadata } from '#src/documents/document.ts';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';

export interface ReadXml {
  markdown: string;
  metadata: DocumentMetadata;
}

/** Parses an XML text as a file, and returns the Markdown of its pages. */
export async function readXml(text: string, name = 'a.xml'): Promise<ReadXml> {
  const bytes = new TextEncoder().encode(text);
  const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
  const { metadata } = document;
  const pages = await readAll(document);
  return { markdown: pages.map((page) => page.markdown).join('\n\f\n'), metadata };
}
