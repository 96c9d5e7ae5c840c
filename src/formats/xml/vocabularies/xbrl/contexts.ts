import type { XmlElement } from '#src/text-formats/xml.ts';
import { childrenNamed, findAll, localName, readLine } from '../../tree/build.ts';

/** Maximum length in characters of a description. Every fact of a context repeats its description. */
const MAX_DESCRIPTION = 400;

export interface FactContext {
  entity: string;
  /** Period of the fact, followed by its dimensions. */
  description: string;
}

/** Returns the descendants with a name. The parser of HTML writes names in lower case. */
const findNamed = (parent: XmlElement | undefined, name: string): XmlElement[] =>
  findAll(parent, name, name.toLowerCase());

const readFirst = (parent: XmlElement | undefined, name: string): string =>
  readLine(findNamed(parent, name)[0]);

function describePeriod(period: XmlElement | undefined): string {
  const [instant, start, end] = ['instant', 'startDate', 'endDate'].map((name) => readFirst(period, name));
  if (instant) return instant;
  return start || end ? `${start} to ${end}` : 'forever';
}

function describeDimensions(context: XmlElement): string {
  const members = [...findNamed(context, 'explicitMember'), ...findNamed(context, 'typedMember')];
  const texts = members.map((member) => {
    const axis = localName(member.attributes.dimension ?? '');
    const isTyped = localName(member.name).toLowerCase() === 'typedmember';
    const value = isTyped ? readLine(member) : localName(readLine(member));
    return axis === '' ? value : `${axis}: ${value}`;
  });
  return texts.join(', ');
}

/** Reads the periods and dimensions that facts refer to, by the id of their context. */
export function readContexts(root: XmlElement): Map<string, FactContext> {
  const contexts = new Map<string, FactContext>();
  for (const context of findAll(root, 'context')) {
    const period = describePeriod(findAll(context, 'period')[0]);
    const dimensions = describeDimensions(context);
    contexts.set(context.attributes.id ?? '', {
      entity: readFirst(findAll(context, 'entity')[0], 'identifier'),
      description: (dimensions === '' ? period : `${period} (${dimensions})`).slice(0, MAX_DESCRIPTION),
    });
  }
  return contexts;
}

/** Reads the units that facts refer to, by id. A ratio is written with a slash. */
export function readUnits(root: XmlElement): Map<string, string> {
  const units = new Map<string, string>();
  const readMeasures = (parent: XmlElement | undefined) =>
    childrenNamed(parent, 'measure')
      .map((measure) => localName(readLine(measure)))
      .join('·');
  for (const unit of findAll(root, 'unit')) {
    const numerator = findNamed(unit, 'unitNumerator')[0];
    const denominator = findNamed(unit, 'unitDenominator')[0];
    const text = numerator ? `${readMeasures(numerator)}/${readMeasures(denominator)}` : readMeasures(unit);
    units.set(unit.attributes.id ?? '', text.slice(0, MAX_DESCRIPTION));
  }
  return units;
}
