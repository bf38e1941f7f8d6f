import { createHash } from 'node:crypto';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import {
  firstLinkId,
  renewedAt,
  renewTrackingLink,
  revokeTrackingLink,
  trackingLinkAggregate,
} from './tracking-link.ts';

type Ports = {
  handler: CommandHandler;
  /** Derives the code of a link, so that none is stored. */
  codes: { tokenOf(id: string): string; opens(token: string, id: string): boolean };
};

/** 72 bits: tells the links of one letter apart. */
const linkIdOf = (commandId: string): string =>
  createHash('sha256')
    .update(`tracking link\n${commandId}`)
    .digest()
    .subarray(0, 9)
    .toString('base64url');

export type TrackingLinks = ReturnType<typeof createTrackingLinks>;

/** Links to the tracking page of a letter. */
export const createTrackingLinks = ({ handler, codes }: Ports) => {
  const nameOf = (letterId: string, linkId: string): string => `${letterId}\n${linkId}`;
  const stateOf = async (letterId: string) =>
    (await handler.load(trackingLinkAggregate, letterId)).state;

  const tokenOf = (letterId: string, linkId: string): string => {
    const code = codes.tokenOf(nameOf(letterId, linkId));
    return linkId === firstLinkId ? code : `${linkId}.${code}`;
  };

  return {
    /** The token of the link in force; undefined once it was revoked. */
    async currentToken(letterId: string): Promise<string | undefined> {
      const { linkId } = await stateOf(letterId);
      return linkId === undefined ? undefined : tokenOf(letterId, linkId);
    },

    /** Makes a new link and ends the earlier ones. A repetition returns its own link, even an ended one. */
    async renew(
      { accountId, letterId }: { accountId: string; letterId: string },
      context: CommandContext,
    ) {
      const linkId = linkIdOf(context.commandId);
      const command = { type: 'RenewTrackingLink' as const, accountId, letterId, linkId };
      const { state, position, events } = await handler.handle(
        trackingLinkAggregate,
        letterId,
        { ...context, oneStream: true },
        (link) => renewTrackingLink(link, command),
      );
      const token = tokenOf(letterId, linkId);
      const createdAt = renewedAt(state, linkId);
      return { token, createdAt, position, replayed: events.length === 0 };
    },

    async revoke(of: { accountId: string; letterId: string }, context: CommandContext) {
      const command = { type: 'RevokeTrackingLink' as const, ...of };
      const { position } = await handler.handle(
        trackingLinkAggregate,
        of.letterId,
        context,
        (state) => revokeTrackingLink(state, command),
      );
      return { position };
    },

    /** Whether the token belongs to the link in force. A token that was never given out reads nothing. */
    async opens(token: string, letterId: string): Promise<boolean> {
      const [code = '', linkId = firstLinkId] = token.split('.').toReversed();
      if (!codes.opens(code, nameOf(letterId, linkId))) return false;
      return (await stateOf(letterId)).linkId === linkId;
    },
  };
};
