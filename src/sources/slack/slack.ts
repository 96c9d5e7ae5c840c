import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const slack = defineSourceSettings({
  kind: 'SOURCE_10_CHAT',
  fields: {
    chat_token: secret(),
    channel_ids: field.text(),
    channel_patterns: field.text(),
    earliest_date: field.text(),
    earliest_date_timestamp: field.number(),
    latest_date: field.text(),
    latest_date_timestamp: field.number(),
  },
});
