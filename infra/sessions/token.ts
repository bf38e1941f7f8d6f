/** Secrets of sessions and links. Tables hold their digests alone. */
import { hash, randomBytes } from 'node:crypto';

const tokenBytes = 32;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

export const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

export const isToken = (text: string): boolean => tokenPattern.test(text);

export const idOfToken = (token: string): string => hash('sha256', token, 'base64url');
