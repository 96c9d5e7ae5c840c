/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { parseComponent } from '#src/lib/schema/component.ts';
import { isWithoutEffect } from '#src/lib/schema/effect.ts';
import type { SourceType } from '#src/sources/registry.ts';
import { SOURCE_TYPES, sourceComponents } from '#src/sources/registry.ts';
import {
  type Accepted,
  type ComponentCase,
  collectIssues,
  componentRules,
} from '#test/suites/component-rules.ts';

const anyAccess: Accepted = [
  ['supports_access_control', true],
  ['supports_access_control', false],
];
const trueAccess: ComponentCase['rejects'] = [['supports_access_control', false, 'literal_error']];

const cases: Record<SourceType, ComponentCase & { also: Accepted }> = {
  SOURCE_1_BLOB: {
    valid: { account_url: 'https://a.example', container_name: 'c' },
    required: ['account_url', 'container_name'],
    defaults: { supports_access_control: false },
    also: [...anyAccess, ['blob', 'b'], ['account_key', 'k'], ['client_secret', 's']],
    rejects: [
      ['account_key', 1, 'string_type'],
      ['prefix', [], 'string_type'],
    ],
  },
  SOURCE_2_FOLDERS: {
    valid: { authentication_mechanism: 'ccg' },
    required: ['authentication_mechanism'],
    defaults: { supports_access_control: false },
    also: [...anyAccess, ['authentication_mechanism', 'developer_token'], ['enterprise_id', 'e']],
    rejects: [
      ['authentication_mechanism', 'jwt', 'enum'],
      ['developer_token', 1, 'string_type'],
    ],
  },
  SOURCE_3_WIKI: {
    valid: { authentication_mechanism: 'basic', server_url: 'https://w.example' },
    required: ['authentication_mechanism', 'server_url'],
    defaults: {
      supports_access_control: false,
      index_restricted_pages: false,
    },
    also: [...anyAccess, ['failure_handling', { skip_list_failures: true }], ['sync_permissions', false]],
    rejects: [
      ['failure_handling', { skip_list_failures: 'no' }, 'bool_parsing', ['skip_list_failures']],
      ['keep_markdown_format', 1, 'bool_type'],
      ['page_ids', ['1'], 'string_type'],
    ],
  },
  SOURCE_4_DRIVE: {
    valid: { folder_id: 'f' },
    required: ['folder_id'],
    defaults: { supports_access_control: false },
    also: [...anyAccess, ['service_account_key', { private_key: 'p' }], ['folder_name', 'Reports']],
    rejects: [
      ['service_account_key', { private_key: 1 }, 'string_type', ['private_key']],
      ['service_account_key', '{}', 'dict_type'],
    ],
  },
  SOURCE_5_ISSUES: {
    valid: { authentication_mechanism: 'basic', query: 'project = A' },
    required: ['authentication_mechanism', 'query'],
    defaults: { supports_access_control: false },
    also: [...anyAccess, ['cloud_id', 'c'], ['email', 'a@b.example'], ['server_url', 'https://i.example']],
    rejects: [
      ['api_token', {}, 'string_type'],
      ['query', 1, 'string_type'],
    ],
  },
  SOURCE_5_ISSUES_V2: {
    valid: { authentication_mechanism: 'basic', query: 'project = A', server_url: 'https://i.example' },
    required: ['authentication_mechanism', 'query', 'server_url'],
    defaults: {
      supports_access_control: false,
      api_version: '2',
      get_permissions: true,
    },
    also: [...anyAccess, ['api_version', '3'], ['fields', ['summary']], ['requests_per_minute', 60]],
    rejects: [
      ['api_version', '4', 'enum'],
      ['api_version', 2, 'enum'],
      ['fields', 'summary', 'list_type'],
      ['fields', [1], 'string_type', [0]],
      ['requests_per_minute', 0.5, 'int_from_float'],
      ['requests_per_minute', 0, 'greater_than_equal'],
    ],
  },
  SOURCE_6_PERSONAL_DRIVE: {
    valid: { client_id: 'c', client_secret: 's', tenant_id: 't', user_principal_name: 'u' },
    required: ['client_id', 'client_secret', 'tenant_id', 'user_principal_name'],
    defaults: { supports_access_control: true },
    also: [
      ['required_exts', ['.pdf']],
      ['supports_access_control', true],
    ],
    rejects: [['required_exts', '.pdf', 'list_type'], ...trueAccess],
  },
  SOURCE_7_SITE: {
    valid: { client_id: 'c', client_secret: 's', tenant_id: 't' },
    required: ['client_id', 'client_secret', 'tenant_id'],
    defaults: {
      supports_access_control: true,
      get_permissions: true,
    },
    also: [
      ['include_path_patterns', ['^/a/.*\\.pdf$']],
      ['exclude_path_patterns', []],
      ['site_name', 'S'],
    ],
    rejects: [
      ['include_path_patterns', ['ok', '('], 'value_error', [1]],
      ['exclude_path_patterns', ['['], 'value_error', [0]],
      ['exclude_path_patterns', '.*', 'list_type'],
      ['get_permissions', 'no', 'bool_parsing'],
      ...trueAccess,
    ],
  },
  SOURCE_8_PAGE: {
    valid: { integration_token: 't' },
    required: ['integration_token'],
    defaults: { supports_access_control: false },
    also: [...anyAccess, ['database_ids', 'a,b'], ['page_ids', 'c']],
    rejects: [['page_ids', ['c'], 'string_type']],
  },
  SOURCE_9_BUCKET: {
    valid: { bucket: 'b' },
    required: ['bucket'],
    defaults: { supports_access_control: false },
    also: [
      ...anyAccess,
      ['regex_pattern', '^reports/.*\\.pdf$'],
      ['regex_pattern', '(?i)(?P<year>\\d{4})'],
      ['bucket_endpoint_url', 'https://s.example'],
    ],
    rejects: [
      ['regex_pattern', '(?=a)', 'value_error'],
      ['regex_pattern', '(a)\\1', 'value_error'],
      ['cloud_access_secret', 1, 'string_type'],
    ],
  },
  SOURCE_10_CHAT: {
    valid: { chat_token: 't' },
    required: ['chat_token'],
    defaults: { supports_access_control: false },
    also: [...anyAccess, ['earliest_date_timestamp', 1700000000.5], ['channel_patterns', 'a.*']],
    rejects: [
      ['latest_date_timestamp', 'now', 'float_parsing'],
      ['latest_date', 5, 'string_type'],
      ['channel_ids', ['C1'], 'string_type'],
    ],
  },
};

describe.each(SOURCE_TYPES)('%s component', (type) => {
  componentRules(sourceComponents, type, cases[type], cases[type].also);
});

it.each([
  ['a(', 'missing closing )'],
  ['(?<!a)b', 'look-around'],
])('explains why the pattern %s does not compile and names the field', (regex_pattern, reason) => {
  const parse = () => parseComponent(sourceComponents, 'SOURCE_9_BUCKET', { bucket: 'b', regex_pattern });
  const [issue] = collectIssues(parse);
  expect(issue!.msg).toContain(reason);
  expect(issue!.loc).toEqual(['body', 'component', 'regex_pattern']);
});

it('documented fields without effect match the schemas', () => {
  const [table = ''] = Object.values(
    import.meta.glob<string>('../../docs/reference/fields-without-effect.md', {
      query: '?raw',
      import: 'default',
      eager: true,
    }),
  );
  const found = SOURCE_TYPES.flatMap((type) =>
    Object.entries(sourceComponents[type].shape)
      .filter(([, schema]) => isWithoutEffect(schema as z.ZodType))
      .map(([name]) => `${type} ${name}`),
  );
  const rows = [...table.matchAll(/^\| (SOURCE_\w+) \| `(\w+)` \|/gm)];
  expect(found.toSorted()).toEqual(rows.map(([, type, field]) => `${type} ${field}`).toSorted());
});
