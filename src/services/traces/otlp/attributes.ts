type AttributeValue = string | number | boolean | string[];

/** Attributes by name. Undefined ones are left out. */
export type Attributes = Record<string, AttributeValue | undefined>;

type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: OtlpValue[] } };

/** Attribute of the OpenTelemetry protocol in its JSON form. */
export interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

export function toAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(key, value) }],
  );
}

/** A name has one type for all its values, so numbers of seconds, costs and scores are never sent as integers. */
function toValue(key: string, value: AttributeValue): OtlpValue {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((each) => toValue(key, each)) } };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  const isCount = Number.isSafeInteger(value) && !/\.(?:seconds|cost)$/.test(key);
  return isCount ? { intValue: String(value) } : { doubleValue: value };
}
