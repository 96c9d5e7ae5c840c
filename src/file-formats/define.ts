/**
 * The first bytes of a file. A string stands for its ASCII characters, a number for one byte, a list for one byte that
 * is any of the listed ones, and null for any byte.
 */
export type Signature = readonly (string | number | readonly number[] | null)[];

/** How a container of files (zip) shows that it holds one document. */
export interface ZipContent {
  /** Matches the content types of an Office Open XML package, the member `[Content_Types].xml`. */
  contentTypes?: RegExp;
  /** A member that only this format has. */
  member?: string;
  /** Values of the member `mimetype`, or of the manifest of an OpenDocument package. */
  mediaTypes?: readonly string[];
}

/** How a text shows its format. `extension` is that of the file's name, in lower case and without the dot. */
export interface TextContent {
  /** Leaves no doubt. A format with this test is never chosen by the extension alone. */
  isCertain?(text: string, extension: string): boolean;
  /** Makes the format likely, if neither a certain test nor the extension has decided. */
  guess?: {
    matches(text: string): boolean;
    /** Of several formats that match, the one with the largest strength is chosen. */
    strength: number;
  };
}

/** The beginning of a file that has no known signature. */
export interface FileStart {
  /** The first 1,024 bytes, each as the character of the same code. */
  characters: string;
  /** Whether these bytes are text in some character set. */
  isText: boolean;
}

/** How the content of a file shows its format. The content decides; names are only used for texts. */
export interface FileContent {
  /** The file begins with one of these. */
  signatures?: readonly Signature[];
  zip?: ZipContent;
  /** The OLE2 container has one of these streams. */
  oleStreams?: readonly string[];
  /** Is asked if no signature and no container has decided. */
  matches?(start: FileStart): boolean;
  text?: TextContent;
}

/** What is said about one file format, for people, for clients and for the detection of formats. */
export interface FileFormat<Kind extends string = string> {
  /** Name of the format in the API. */
  kind: Kind;
  title: string;
  /** Usual ends of names, in lower case and without the dot. */
  extensions: readonly string[];
  /** The first is the registered one. */
  mediaTypes: readonly string[];
  content: FileContent;
  /** The whole file is decoded and parsed as one text, so that each of its bytes costs time. */
  isParsedAsText?: boolean;
}

/** Returns the definition. Its type keeps the name of the kind, from which the registry derives `FileKind`. */
export const defineFormat = <const Kind extends string>(format: FileFormat<Kind>): FileFormat<Kind> => format;
