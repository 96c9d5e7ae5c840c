import { withOmissions } from '#src/formats/shared/containers/unread-parts.ts';
import { finishDocument } from '#src/formats/shared/flow/finish.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { type Member, Members, withPageIndex } from '#src/formats/shared/members/members.ts';
import type { NestingContext } from '#src/formats/shared/members/nesting-context.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { ParseInput } from '#src/formats/shared/parser.ts';

interface Message {
  flow: Flow;
  metadata: OpenDocument['metadata'];
  attachments: readonly Member[];
}

/**
 * Completes an e-mail with a list of its attachments. The pages of the readable attachments follow the pages
 * of the message.
 */
export async function withAttachments(
  { flow, metadata, attachments }: Message,
  { plan, context }: Pick<ParseInput, 'plan'> & { context: NestingContext },
): Promise<OpenDocument> {
  const members = await Members.open(attachments, { plan, context, prefix: 'attachment' });
  try {
    return joinPages(finishBody(flow, metadata, attachments, members), members);
  } catch (error) {
    members.close();
    throw error;
  }
}

function finishBody(
  flow: Flow,
  metadata: OpenDocument['metadata'],
  attachments: readonly Member[],
  { failures, omissions }: Members,
): OpenDocument {
  if (attachments.length === 0) return finishDocument(flow, metadata);
  flow.heading(2, [{ text: 'Attachments' }]);
  for (const member of attachments) {
    const failure = failures.get(member);
    const text = failure ? `${member.path} (not read: ${failure.message})` : member.path;
    flow.listItem({ level: 0, ordered: false, runs: [{ text }] });
  }
  const failed = [...failures].map(([{ path }, { message }]) => ({ name: path, reason: message }));
  return finishDocument(flow, {
    ...withOmissions(metadata, omissions),
    attachments: attachments.map(({ path }) => path),
    ...(failed.length > 0 && { failedAttachments: failed }),
  });
}

function joinPages(body: OpenDocument, members: Members): OpenDocument {
  const own = body.pageCount;
  return {
    pageCount: own + members.pageCount,
    metadata: body.metadata,
    unlocked: members.unlocked,
    async readPage(index, turn, options) {
      if (index < own) return body.readPage(index);
      return withPageIndex(await members.readPage(index - own, turn, options), index);
    },
    async readFigure(index, name) {
      return index < own ? body.readFigure(index, name) : members.readFigure(index - own, name);
    },
    scan: async (index, options) => (index < own ? undefined : members.scan(index - own, options)),
    close() {
      body.close();
      members.close();
    },
  };
}
