import { expect } from 'chai';
import { publicErrorOf } from '../../ground/public-error.ts';

const personal = [
  'Olga Meier',
  'olga.meier@example.com',
  '+49 170 1234567',
  'Hauptstraße 5',
  'secret-token-that-is-as-long-as-a-real-one',
];

describe('the error of a job that operators read', () => {
  it('says what happened, with its code', () => {
    const refused = Object.assign(new Error('connect 127.0.0.1:25'), { code: 'ECONNREFUSED' });
    expect(publicErrorOf(refused)).to.equal('ECONNREFUSED: connect 127.0.0.1:25');
    expect(publicErrorOf(new Error('the print house answered 503'))).to.equal(
      'the print house answered 503',
    );
    expect(publicErrorOf('thrown as text')).to.equal('thrown as text');
  });

  it('contains no address, number, quoted value, query or secret', () => {
    const [name, email, phone, street, secret] = personal;
    for (const message of [
      `550 <${email}>: mailbox of "${name}" is full`,
      `recipient ${email} was refused`,
      `invalid value '${name}' for '${street}'`,
      `„${name}“ does not fit, nor «${street}»`,
      `the recipient "${name}, ${'and others, '.repeat(200)}"`,
      `call ${phone} about it`,
      `GET https://user:${secret}@hooks.example.com/in?to=${email}#${secret} failed`,
      `token ${secret} has expired`,
    ]) {
      const text = publicErrorOf(new Error(message));
      for (const word of personal) expect(text, message).to.not.contain(word);
    }
  });

  it('is one line of at most 300 characters', () => {
    const text = publicErrorOf(new Error(`first\nsecond ${'long '.repeat(500)}`));
    expect(text).to.match(/^first second long/);
    expect(text.length).to.be.at.most(300);
  });
});
