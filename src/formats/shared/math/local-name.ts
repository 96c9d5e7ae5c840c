import type { XmlElement } from '#src/text-formats/xml.ts';

/** Returns the name of an element without its namespace prefix. */
export const localName = ({ name }: XmlElement): string => name.slice(name.indexOf(':') + 1);
