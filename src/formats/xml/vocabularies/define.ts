import type { DocumentMetadata, Omission } from '#src/documents/document.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import type { XmlElement, XmlNode } from '#src/text-formats/xml.ts';

/** Root element of a document, by which its vocabulary is recognized. */
export interface RootName {
  /** Name without prefix. */
  local: string;
  /** Namespace of the root element, or '' if it has none. */
  namespace: string;
  element: XmlElement;
}

export interface VocabularyContext {
  /** Work budget of the file. Markup inside texts is spent from it before it is parsed. */
  budget: WorkBudget;
  omit(omission: Omission): void;
}

export interface VocabularyResult {
  /** The document as HTML. */
  nodes: XmlNode[];
  metadata?: DocumentMetadata;
  /** Number of pictures that the document only refers to. */
  pictures?: number;
}

/** An XML vocabulary, such as JATS or DocBook. */
export interface Vocabulary {
  name: string;
  matches(root: RootName): boolean;
  /** Rewrites a document as HTML. The elements of the document may be changed. */
  read(root: XmlElement, context: VocabularyContext): VocabularyResult;
}
