import { pickAlternative } from '#src/formats/shared/containers/alternative-content.ts';
import { elements, type XmlElement } from '#src/text-formats/xml.ts';

export interface Drawing {
  textBoxes: XmlElement[];
  /** Relationship ids of the pictures, each once. */
  pictures: Set<string>;
  /** Texts that are drawn as decorated letters ("WordArt"). */
  wordArt: string[];
}

/** Collects the content of a drawing. Of alternative versions of the same shape only one is read. */
export function collectDrawing(node: XmlElement): Drawing {
  const drawing: Drawing = { textBoxes: [], pictures: new Set(), wordArt: [] };
  collect(node, drawing);
  return drawing;
}

function collect(parent: XmlElement, drawing: Drawing): void {
  for (const element of elements(parent)) {
    const { name, attributes } = element;
    if (name === 'w:txbxContent') {
      drawing.textBoxes.push(element);
      continue;
    }
    const picture =
      name === 'a:blip' ? attributes['r:embed'] : name === 'v:imagedata' ? attributes['r:id'] : undefined;
    if (picture !== undefined) drawing.pictures.add(picture);
    if (name === 'v:textpath' && attributes.string) drawing.wordArt.push(attributes.string);
    const inner = name === 'mc:AlternateContent' ? pickAlternative(element) : element;
    if (inner) collect(inner, drawing);
  }
}
