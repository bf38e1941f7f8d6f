/** Texts of the page of an order, by language. */
import { inEachLanguage } from '../../presenters/in-each-language.ts';
import { labels } from '../../presenters/labels.ts';
import type { OrderState } from '../../presenters/order.ts';
import { statusNames } from '../../presenters/status-words.ts';

type Said = { title: string; lead: string };
/** The course of a letter that was queued with the payment. */
export type OrderCourse = 'posted' | 'delivered' | 'returned' | 'failed' | 'cancelled';

export const orderWords = inEachLanguage({
  en: {
    kind: labels.order.en,
    order: {
      awaiting_payment: {
        title: 'Waiting for the payment',
        lead: 'We post your letter as soon as the payment clears (some banks take a few days). Reload this page to check.',
      },
      paid: {
        title: 'Paid',
        lead: 'Your payment has arrived. The letter is queued in a moment, or as soon as the shop has approved it. Reload this page to check.',
      },
      queued: {
        title: 'Paid: the letter is being produced',
        lead: 'Your payment has arrived. The letter is being printed, put into an envelope and posted. You get an e-mail when it is posted.',
      },
      credited: {
        title: 'Paid, but the letter was not sent',
        lead: 'Your payment has arrived, but the letter could not be sent as it was ordered. The shop holds the money as a credit; please ask the shop to refund your card.',
      },
      expired: {
        title: 'This order is no longer valid',
        lead: 'The order was not paid in time, or the shop withdrew it. Nothing was charged, and the letter will not be sent. Ask the shop for a new link if you still want it.',
      },
    } satisfies Record<OrderState['status'], Said>,
    course: {
      posted: {
        title: 'The letter was posted',
        lead: 'Your payment has arrived, and the letter is on its way.',
      },
      delivered: {
        title: labels.letterDelivered.en,
        lead: 'Your payment has arrived, and the letter was delivered.',
      },
      returned: {
        title: labels.letterReturned.en,
        lead: 'The letter was posted, but it could not be delivered and was returned. Please ask the shop what happens next.',
      },
      failed: {
        title: labels.letterNotPosted.en,
        lead: 'The letter could not be produced and will not be posted. The shop has been refunded; please ask the shop to refund your card.',
      },
      cancelled: {
        title: 'The letter was cancelled',
        lead: 'The letter was cancelled and will not be posted. The shop has been refunded; please ask the shop to refund your card.',
      },
    } satisfies Record<OrderCourse, Said>,
    /** The letter was sent, but not with the money of the order. */
    otherwise: {
      expired: {
        title: 'This order is no longer valid',
        lead: 'Nothing was charged for this order. The letter was paid in another way: there is nothing left for you to do.',
      },
      credited: {
        title: 'Paid',
        lead: 'Your payment has arrived, but the letter was paid in another way. The shop holds the money of this order as a credit; please ask the shop about it.',
      },
    },
    /** Leads of orders whose payment was refunded or disputed, at least in part. */
    refunded: {
      credited:
        'The letter was not sent with your payment. The payment, or a part of it, was refunded or is disputed. If money is missing, please ask the shop.',
      otherwise:
        'The letter was paid in another way. The payment of this order, or a part of it, was refunded or is disputed. If money is missing, please ask the shop.',
      failed:
        'The letter could not be produced and will not be posted. The payment, or a part of it, was refunded or is disputed. If money is missing, please ask the shop.',
      cancelled:
        'The letter was cancelled and will not be posted. The payment, or a part of it, was refunded or is disputed. If money is missing, please ask the shop.',
    },
    /** Why the letter was not sent with the payment. */
    reason: {
      letter_changed: 'The shop changed or cancelled the letter after it was ordered.',
      not_sendable:
        'The letter can no longer be sent, for example because its postal service was withdrawn.',
      paid_late: 'The payment arrived after the order had expired.',
      taken_back: 'The payment was refunded or disputed before the letter was sent.',
    } satisfies Record<NonNullable<OrderState['credit_reason']>, string>,
    takenBack: 'The payment, or a part of it, was refunded or is disputed.',
    pay: 'Pay now',
    follow: 'Track it with the carrier',
    facts: {
      order: labels.order.en,
      letter: labels.letter.en,
      amount: labels.amount.en,
      until: 'Payable until',
      status: 'Status of the letter',
      number: labels.trackingNumber.en,
      contact: labels.contact.en,
    },
    letter: {
      ...statusNames.en,
      draft: 'Waiting for the payment',
    } as Record<string, string>,
    nothing: {
      title: labels.nothingHere.en,
      detail:
        'This link opens no order. Part of it may be missing. Open it again from where you got it.',
    },
  },
  de: {
    kind: labels.order.de,
    order: {
      awaiting_payment: {
        title: 'Die Zahlung steht noch aus',
        lead: 'Der Brief wird verschickt, sobald die Zahlung bestätigt ist; bei manchen Banken dauert das einige Tage. Laden Sie diese Seite erneut, um den Stand zu sehen.',
      },
      paid: {
        title: 'Bezahlt',
        lead: 'Ihre Zahlung ist eingegangen. Der Brief wird gleich aufgegeben, oder sobald der Shop ihn freigegeben hat. Laden Sie diese Seite erneut, um den Stand zu sehen.',
      },
      queued: {
        title: 'Bezahlt: Der Brief ist in Arbeit',
        lead: 'Ihre Zahlung ist eingegangen. Der Brief wird gedruckt, kuvertiert und zur Post gegeben; dann bekommen Sie eine E-Mail.',
      },
      credited: {
        title: 'Bezahlt, aber der Brief wurde nicht versandt',
        lead: 'Ihre Zahlung ist eingegangen, aber der Brief konnte nicht so versandt werden, wie er bestellt war. Das Geld ist dem Shop gutgeschrieben; bitten Sie den Shop um eine Erstattung auf Ihre Karte.',
      },
      expired: {
        title: 'Diese Bestellung gilt nicht mehr',
        lead: 'Sie wurde nicht rechtzeitig bezahlt, oder der Shop hat sie zurückgezogen. Es wurde nichts abgebucht, und der Brief wird nicht versandt. Bitten Sie den Shop um einen neuen Link, wenn Sie ihn noch möchten.',
      },
    },
    course: {
      posted: {
        title: 'Der Brief ist unterwegs',
        lead: 'Ihre Zahlung ist eingegangen, und der Brief wurde zur Post gegeben.',
      },
      delivered: {
        title: labels.letterDelivered.de,
        lead: 'Ihre Zahlung ist eingegangen, und der Brief wurde zugestellt.',
      },
      returned: {
        title: labels.letterReturned.de,
        lead: 'Der Brief wurde zur Post gegeben, konnte aber nicht zugestellt werden und ging zurück. Bitte fragen Sie den Shop, wie es weitergeht.',
      },
      failed: {
        title: labels.letterNotPosted.de,
        lead: 'Der Brief konnte nicht hergestellt werden und wird nicht versandt. Der Shop hat den Preis zurückbekommen; bitten Sie ihn um eine Erstattung auf Ihre Karte.',
      },
      cancelled: {
        title: 'Der Brief wurde storniert',
        lead: 'Der Brief wurde storniert und wird nicht versandt. Der Shop hat den Preis zurückbekommen; bitten Sie ihn um eine Erstattung auf Ihre Karte.',
      },
    },
    otherwise: {
      expired: {
        title: 'Diese Bestellung gilt nicht mehr',
        lead: 'Für diese Bestellung wurde nichts abgebucht. Der Brief wurde anders bezahlt: Sie müssen nichts mehr tun.',
      },
      credited: {
        title: 'Bezahlt',
        lead: 'Ihre Zahlung ist eingegangen, aber der Brief wurde anders bezahlt. Das Geld dieser Bestellung ist dem Shop gutgeschrieben; bitte wenden Sie sich deswegen an den Shop.',
      },
    },
    refunded: {
      credited:
        'Der Brief wurde nicht mit Ihrer Zahlung versandt. Die Zahlung oder ein Teil davon wurde erstattet oder ist strittig. Wenn Geld fehlt, wenden Sie sich bitte an den Shop.',
      otherwise:
        'Der Brief wurde anders bezahlt. Die Zahlung dieser Bestellung oder ein Teil davon wurde erstattet oder ist strittig. Wenn Geld fehlt, wenden Sie sich bitte an den Shop.',
      failed:
        'Der Brief konnte nicht hergestellt werden und wird nicht versandt. Die Zahlung oder ein Teil davon wurde erstattet oder ist strittig. Wenn Geld fehlt, wenden Sie sich bitte an den Shop.',
      cancelled:
        'Der Brief wurde storniert und wird nicht versandt. Die Zahlung oder ein Teil davon wurde erstattet oder ist strittig. Wenn Geld fehlt, wenden Sie sich bitte an den Shop.',
    },
    reason: {
      letter_changed: 'Der Shop hat den Brief nach der Bestellung geändert oder storniert.',
      not_sendable:
        'Der Brief kann nicht mehr versandt werden, zum Beispiel weil die Versandart nicht mehr angeboten wird.',
      paid_late: 'Die Zahlung kam erst an, nachdem die Bestellung abgelaufen war.',
      taken_back: 'Die Zahlung wurde erstattet oder angefochten, bevor der Brief versandt war.',
    },
    takenBack: 'Die Zahlung oder ein Teil davon wurde erstattet oder ist strittig.',
    pay: 'Jetzt bezahlen',
    follow: 'Beim Zusteller verfolgen',
    facts: {
      order: labels.order.de,
      letter: labels.letter.de,
      amount: labels.amount.de,
      until: 'Zahlbar bis',
      status: 'Stand des Briefs',
      number: labels.trackingNumber.de,
      contact: labels.contact.de,
    },
    letter: {
      ...statusNames.de,
      draft: 'Wartet auf die Zahlung',
    },
    nothing: {
      title: labels.nothingHere.de,
      detail:
        'Dieser Link öffnet keine Bestellung. Vielleicht wurde er nur zum Teil kopiert; öffnen Sie ihn noch einmal dort, wo Sie ihn bekommen haben.',
    },
  },
  fr: {
    kind: labels.order.fr,
    order: {
      awaiting_payment: {
        title: 'En attente du paiement',
        lead: 'La lettre part dès que le paiement est confirmé, ce qui prend quelques jours avec certaines banques. Rechargez cette page pour voir où en est la commande.',
      },
      paid: {
        title: 'Payée',
        lead: 'Votre paiement a été reçu. L’envoi est validé dans un instant, ou dès que la boutique l’a approuvé. Rechargez cette page pour voir où en est la commande.',
      },
      queued: {
        title: 'Payée : la lettre est prise en charge',
        lead: 'Votre paiement a été reçu. La lettre est imprimée, mise sous pli et postée ; vous recevrez alors un e-mail.',
      },
      credited: {
        title: 'Payée, mais la lettre n’a pas été envoyée',
        lead: 'Votre paiement a été reçu, mais la lettre n’a pas pu être envoyée telle qu’elle a été commandée. L’argent est porté au crédit de la boutique ; demandez-lui de rembourser votre carte.',
      },
      expired: {
        title: 'Cette commande n’est plus valable',
        lead: 'Elle n’a pas été payée à temps, ou la boutique l’a retirée ; rien n’a été débité et la lettre ne sera pas envoyée. Demandez un nouveau lien à la boutique si vous la souhaitez encore.',
      },
    },
    course: {
      posted: {
        title: 'La lettre a été postée',
        lead: 'Votre paiement a été reçu et la lettre est en route.',
      },
      delivered: {
        title: labels.letterDelivered.fr,
        lead: 'Votre paiement a été reçu et la lettre a été distribuée.',
      },
      returned: {
        title: labels.letterReturned.fr,
        lead: 'La lettre a été postée, mais elle n’a pas pu être distribuée et a été renvoyée. Adressez-vous à la boutique pour la suite.',
      },
      failed: {
        title: labels.letterNotPosted.fr,
        lead: 'La lettre n’a pas pu être produite et ne sera pas postée. La boutique a été remboursée ; demandez-lui de rembourser votre carte.',
      },
      cancelled: {
        title: 'La lettre a été annulée',
        lead: 'La lettre a été annulée et ne sera pas postée. La boutique a été remboursée ; demandez-lui de rembourser votre carte.',
      },
    },
    otherwise: {
      expired: {
        title: 'Cette commande n’est plus valable',
        lead: 'Rien n’a été débité pour cette commande. La lettre a été payée autrement : vous n’avez plus rien à faire.',
      },
      credited: {
        title: 'Payée',
        lead: 'Votre paiement a été reçu, mais la lettre a été payée autrement. L’argent de cette commande est porté au crédit de la boutique ; adressez-vous à elle à ce sujet.',
      },
    },
    refunded: {
      credited:
        'La lettre n’a pas été envoyée avec votre paiement. Le paiement, ou une partie, a été remboursé ou est contesté. S’il manque de l’argent, adressez-vous à la boutique.',
      otherwise:
        'La lettre a été payée autrement. Le paiement de cette commande, ou une partie, a été remboursé ou est contesté. S’il manque de l’argent, adressez-vous à la boutique.',
      failed:
        'La lettre n’a pas pu être produite et ne sera pas postée. Le paiement, ou une partie, a été remboursé ou est contesté. S’il manque de l’argent, adressez-vous à la boutique.',
      cancelled:
        'La lettre a été annulée et ne sera pas postée. Le paiement, ou une partie, a été remboursé ou est contesté. S’il manque de l’argent, adressez-vous à la boutique.',
    },
    reason: {
      letter_changed: 'La boutique a modifié ou annulé la lettre après la commande.',
      not_sendable:
        'La lettre ne peut plus être envoyée, par exemple parce que le service postal choisi n’est plus proposé.',
      paid_late: 'Le paiement est arrivé après l’expiration de la commande.',
      taken_back: 'Le paiement a été remboursé ou contesté avant l’envoi de la lettre.',
    },
    takenBack: 'Le paiement, ou une partie, a été remboursé ou est contesté.',
    pay: 'Payer',
    follow: 'Suivre chez le transporteur',
    facts: {
      order: labels.order.fr,
      letter: labels.letter.fr,
      amount: labels.amount.fr,
      until: 'À payer avant le',
      status: 'État de la lettre',
      number: labels.trackingNumber.fr,
      contact: labels.contact.fr,
    },
    letter: {
      ...statusNames.fr,
      draft: 'En attente du paiement',
    },
    nothing: {
      title: labels.nothingHere.fr,
      detail:
        'Ce lien n’ouvre aucune commande. Il a peut-être été copié en partie ; ouvrez-le à nouveau là où vous l’avez reçu.',
    },
  },
});
