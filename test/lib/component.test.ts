import { describe, expect, it } from 'vitest';
import { type Component, componentInput, componentSchema, freeFormComponent } from '#src/lib/component.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { embeddingComponents } from '#src/models/embedding/registry.ts';
import { sinkComponents } from '#src/sinks/registry.ts';
import { sourceComponents } from '#src/sources/registry.ts';

describe('the shape that a component is held to', () => {
  it.each<Component>([{ index_name: 1 }, { api_key: '********', other: 1 }])(
    "is its kind's for %j",
    (component) => {
      expect(componentSchema(sinkComponents, 'VENDOR_E', component)).toBe(sinkComponents.VENDOR_E);
    },
  );

  it.each<Component>([{}, { class_name: 'X' }, { api_key: null }, { toString: 1 }])(
    'is the free form for %j',
    (component) => {
      expect(componentSchema(sinkComponents, 'VENDOR_E', component)).toBe(freeFormComponent);
    },
  );

  it("is its kind's for an empty component when nothing is required", () => {
    expect(componentSchema(embeddingComponents, 'PROVIDER_G_EMBEDDING', {})).toBe(
      embeddingComponents.PROVIDER_G_EMBEDDING,
    );
  });

  it('is the free form for a kind that nobody knows', () => {
    expect(componentSchema(sinkComponents, 'OTHER', { api_key: 'k' })).toBe(freeFormComponent);
  });
});

describe('the description of components', () => {
  const registries = { sinkComponents, sourceComponents, embeddingComponents };
  it.each(Object.entries(registries))('%s lists every kind and the free form', (_, registry) => {
    const described = componentInput(registry).meta()?.anyOf as { title?: string; type: string }[];
    expect(described.map((each) => each.title ?? each.type)).toEqual([
      ...Object.keys(registry),
      'free-form',
      'null',
    ]);
    expect(JSON.stringify(described)).not.toContain('9007199254740991');
  });

  it('gives secrets the format password', () => {
    const described = JSON.stringify(componentInput({ VENDOR_D: sinkComponents.VENDOR_D }).meta());
    expect(described).toContain('"db_uri":{"type":"string","format":"password"}');
  });

  it('takes any object', () => {
    expect(embeddingConfig.parse({ component: { free: 1 } })).toEqual({ component: { free: 1 } });
  });
});
