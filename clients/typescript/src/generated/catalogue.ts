// Generated: tools.json. Do not edit.
export const catalogue = {
 "catalog_version": "0.2.0",
 "tools": [
  {
   "name": "list_services",
   "title": "List postal services",
   "description": "Postal services of a country with tracking, proof, delivery time and price from.",
   "parameters": {
    "type": "object",
    "properties": {
     "country": {
      "type": "string",
      "maxLength": 40,
      "description": "Two-letter code: US, FR, GB, CA or DE"
     }
    },
    "required": [
     "country"
    ],
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "country": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "currency": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "GET",
    "path": "/api/services/{country}",
    "path_params": [
     "country"
    ],
    "query": [],
    "headers": {}
   },
   "also_accepts": [],
   "scope": "read",
   "payable": true,
   "read_only": true,
   "destructive": false,
   "idempotent": false,
   "awaits_writes": true
  },
  {
   "name": "quote_letter",
   "title": "Price a letter",
   "description": "Itemised price of a letter, paid from crypto and from other money. Mails and spends nothing. Use it before send_letter and pass its `quote_id`. Needs `to_country` and one of `pages`, `content`, `document_url`.",
   "parameters": {
    "type": "object",
    "properties": {
     "to_country": {
      "type": "string",
      "enum": [
       "US",
       "FR",
       "GB",
       "CA",
       "DE"
      ],
      "description": "Country of the recipient"
     },
     "content": {
      "type": "string",
      "description": "Plain text or HTML"
     },
     "document_url": {
      "type": "string",
      "maxLength": 2048,
      "description": "https address of a PDF to print instead of content"
     },
     "address_placement": {
      "type": "string",
      "enum": [
       "stamp",
       "in_document",
       "insert_page"
      ],
      "description": "PDF only: print the address on it, find it there, or add a page in front"
     },
     "auto_fix": {
      "type": "boolean",
      "description": "Make a PDF fit the page"
     },
     "service": {
      "type": "string",
      "enum": [
       "us_first_class",
       "us_certified",
       "us_priority",
       "fr_lettre_verte",
       "fr_lettre_suivie",
       "fr_lettre_recommandee",
       "gb_first_class",
       "gb_second_class",
       "gb_signed_for",
       "gb_special_delivery",
       "ca_lettermail",
       "ca_registered",
       "ca_priority",
       "de_standardbrief",
       "de_einschreiben",
       "de_einschreiben_einwurf"
      ],
      "description": "From list_services; default: the cheapest that meets intent"
     },
     "intent": {
      "type": "string",
      "enum": [
       "confidential",
       "legal_compliance",
       "regulatory_filing",
       "time_critical",
       "transactional",
       "bulk_marketing"
      ],
      "description": "What the letter is for; some ask for proof or a deadline"
     },
     "color": {
      "type": "boolean",
      "description": "Print in colour; default: black and white"
     },
     "duplex": {
      "type": "boolean",
      "description": "Print on both sides; default: true"
     },
     "send_date": {
      "type": "string",
      "description": "Day of posting as YYYY-MM-DD, at most 180 days ahead"
     },
     "pages": {
      "type": "integer",
      "minimum": 1,
      "maximum": 60,
      "description": "To send instead of the content itself"
     }
    },
    "required": [
     "to_country"
    ],
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "quote_id": {
      "type": "string"
     },
     "service": {
      "type": "string"
     },
     "intent": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "POST",
    "path": "/api/quote",
    "path_params": [],
    "query": [],
    "headers": {}
   },
   "also_accepts": [
    "to_name",
    "to_line1",
    "to_city",
    "to_postal_code",
    "to_company",
    "to_line2",
    "to_state",
    "from_name",
    "from_line1",
    "from_city",
    "from_postal_code",
    "from_country",
    "from_company",
    "from_line2",
    "from_state",
    "content_type",
    "document",
    "language",
    "date",
    "logo",
    "footer",
    "reference",
    "metadata",
    "draft",
    "hold_without_funds",
    "quote_id",
    "commitment_id",
    "max_total",
    "accept_address_as_is",
    "letter_id",
    "dry_run"
   ],
   "scope": "read",
   "payable": true,
   "read_only": true,
   "destructive": false,
   "idempotent": false,
   "awaits_writes": false
  },
  {
   "name": "negotiate_pricing",
   "title": "Negotiate a price",
   "description": "A signed offer in three tiers (economy, standard, premium) for an intent class. Mails nothing.",
   "parameters": {
    "type": "object",
    "properties": {
     "intent": {
      "type": "string",
      "enum": [
       "confidential",
       "legal_compliance",
       "regulatory_filing",
       "time_critical",
       "transactional",
       "bulk_marketing"
      ],
      "description": "What the letter is for; some ask for proof or a deadline"
     },
     "quantity": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10000,
      "description": "Letters"
     },
     "to_country": {
      "type": "string",
      "enum": [
       "US",
       "FR",
       "GB",
       "CA",
       "DE"
      ],
      "description": "Country of the recipient"
     },
     "pages": {
      "type": "integer",
      "minimum": 1,
      "maximum": 60,
      "description": "To send instead of the content itself"
     }
    },
    "required": [
     "intent",
     "to_country"
    ],
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "offer_id": {
      "type": "string"
     },
     "tiers": {
      "type": "array"
     },
     "recommended": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "POST",
    "path": "/api/anp/offer",
    "path_params": [],
    "query": [],
    "headers": {}
   },
   "also_accepts": [
    "to_name",
    "to_line1",
    "to_city",
    "to_postal_code",
    "to_company",
    "to_line2",
    "to_state",
    "from_name",
    "from_line1",
    "from_city",
    "from_postal_code",
    "from_country",
    "from_company",
    "from_line2",
    "from_state",
    "content",
    "content_type",
    "document_url",
    "document",
    "address_placement",
    "auto_fix",
    "service",
    "color",
    "duplex",
    "send_date",
    "language",
    "date",
    "logo",
    "footer",
    "reference",
    "metadata",
    "draft",
    "hold_without_funds",
    "max_total",
    "accept_address_as_is",
    "dry_run"
   ],
   "scope": "public",
   "payable": false,
   "read_only": true,
   "destructive": false,
   "idempotent": false,
   "awaits_writes": true
  },
  {
   "name": "accept_offer",
   "title": "Accept an offer",
   "description": "Locks the price of one tier of an offer. Returns the commitment to send with.",
   "parameters": {
    "type": "object",
    "properties": {
     "offer_id": {
      "type": "string",
      "maxLength": 64,
      "description": "From negotiate_pricing"
     },
     "tier": {
      "type": "string",
      "enum": [
       "economy",
       "standard",
       "premium"
      ],
      "description": "The tier of the offer to accept"
     },
     "payment_method": {
      "type": "string",
      "enum": [
       "fiat",
       "crypto"
      ],
      "description": "The money that pays"
     },
     "idempotency_key": {
      "type": "string",
      "maxLength": 64,
      "description": "A UUID; a repeated call with it acts once"
     }
    },
    "required": [
     "tier"
    ],
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "commitment_id": {
      "type": "string"
     },
     "offer_id": {
      "type": "string"
     },
     "offer_hash": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "POST",
    "path": "/api/anp/accept",
    "path_params": [],
    "query": [],
    "headers": {
     "idempotency_key": "Idempotency-Key"
    }
   },
   "also_accepts": [
    "offer",
    "offer_hash"
   ],
   "scope": "send",
   "payable": true,
   "read_only": false,
   "destructive": false,
   "idempotent": true,
   "awaits_writes": true
  },
  {
   "name": "send_letter",
   "title": "Print and post a letter",
   "description": "Mails a real letter and spends money; it cannot be undone once printed. Quote first and get the user’s confirmation. Costs the total of quote_letter, from the wallet or by x402. Set `max_total` as a cap. Repeat an unanswered call with the same `idempotency_key`; give others a new one. Needs to_ and from_ name, line1, city, postal_code and country, and `content` or `document_url`; or the `letter_id` of a draft.",
   "parameters": {
    "type": "object",
    "properties": {
     "to_name": {
      "type": "string",
      "maxLength": 300,
      "description": "Name of the recipient"
     },
     "to_line1": {
      "type": "string",
      "maxLength": 300,
      "description": "Street and number"
     },
     "to_city": {
      "type": "string",
      "maxLength": 300,
      "description": "City"
     },
     "to_postal_code": {
      "type": "string",
      "maxLength": 300,
      "description": "Postal code, in the format of the country"
     },
     "to_country": {
      "type": "string",
      "enum": [
       "US",
       "FR",
       "GB",
       "CA",
       "DE"
      ],
      "description": "Country of the recipient"
     },
     "to_company": {
      "type": "string",
      "maxLength": 300,
      "description": "Company of the recipient"
     },
     "to_line2": {
      "type": "string",
      "maxLength": 300,
      "description": "Second line of the address"
     },
     "to_state": {
      "type": "string",
      "maxLength": 300,
      "description": "State or province; default: by the postal code"
     },
     "from_name": {
      "type": "string",
      "maxLength": 300,
      "description": "Name of the sender"
     },
     "from_line1": {
      "type": "string",
      "maxLength": 300,
      "description": "Street and number"
     },
     "from_city": {
      "type": "string",
      "maxLength": 300,
      "description": "City"
     },
     "from_postal_code": {
      "type": "string",
      "maxLength": 300,
      "description": "Postal code, in the format of the country"
     },
     "from_country": {
      "type": "string",
      "enum": [
       "US",
       "FR",
       "GB",
       "CA",
       "DE"
      ],
      "description": "Country of the sender"
     },
     "from_company": {
      "type": "string",
      "maxLength": 300,
      "description": "Company of the sender"
     },
     "from_line2": {
      "type": "string",
      "maxLength": 300,
      "description": "Second line of the address"
     },
     "from_state": {
      "type": "string",
      "maxLength": 300,
      "description": "State or province; default: by the postal code"
     },
     "content": {
      "type": "string",
      "description": "Plain text or HTML"
     },
     "document_url": {
      "type": "string",
      "maxLength": 2048,
      "description": "https address of a PDF to print instead of content"
     },
     "address_placement": {
      "type": "string",
      "enum": [
       "stamp",
       "in_document",
       "insert_page"
      ],
      "description": "PDF only: print the address on it, find it there, or add a page in front"
     },
     "auto_fix": {
      "type": "boolean",
      "description": "Make a PDF fit the page"
     },
     "service": {
      "type": "string",
      "enum": [
       "us_first_class",
       "us_certified",
       "us_priority",
       "fr_lettre_verte",
       "fr_lettre_suivie",
       "fr_lettre_recommandee",
       "gb_first_class",
       "gb_second_class",
       "gb_signed_for",
       "gb_special_delivery",
       "ca_lettermail",
       "ca_registered",
       "ca_priority",
       "de_standardbrief",
       "de_einschreiben",
       "de_einschreiben_einwurf"
      ],
      "description": "From list_services; default: the cheapest that meets intent"
     },
     "intent": {
      "type": "string",
      "enum": [
       "confidential",
       "legal_compliance",
       "regulatory_filing",
       "time_critical",
       "transactional",
       "bulk_marketing"
      ],
      "description": "What the letter is for; some ask for proof or a deadline"
     },
     "color": {
      "type": "boolean",
      "description": "Print in colour; default: black and white"
     },
     "duplex": {
      "type": "boolean",
      "description": "Print on both sides; default: true"
     },
     "send_date": {
      "type": "string",
      "description": "Day of posting as YYYY-MM-DD, at most 180 days ahead"
     },
     "reference": {
      "type": "string",
      "maxLength": 120,
      "description": "Your reference"
     },
     "metadata": {
      "type": "object",
      "additionalProperties": {
       "type": "string"
      },
      "description": "Your key-value pairs"
     },
     "draft": {
      "type": "boolean",
      "description": "Check and keep the letter without sending it"
     },
     "quote_id": {
      "type": "string",
      "maxLength": 40,
      "description": "From quote_letter; locks its price"
     },
     "commitment_id": {
      "type": "string",
      "maxLength": 64,
      "pattern": "^[A-Za-z0-9_-]+$",
      "description": "From accept_offer"
     },
     "max_total": {
      "type": "number",
      "minimum": 0,
      "maximum": 1000000,
      "description": "US dollars; refused above it"
     },
     "letter_id": {
      "type": "string",
      "description": "UUID of the letter"
     },
     "dry_run": {
      "type": "boolean",
      "description": "Only says the outcome"
     },
     "idempotency_key": {
      "type": "string",
      "maxLength": 64,
      "description": "A UUID; a repeated call with it acts once"
     }
    },
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "letter_id": {
      "type": "string"
     },
     "status": {
      "type": "string"
     },
     "service": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "POST",
    "path": "/api/send",
    "path_params": [],
    "query": [],
    "headers": {
     "idempotency_key": "Idempotency-Key"
    }
   },
   "also_accepts": [
    "content_type",
    "document",
    "language",
    "date",
    "logo",
    "footer",
    "hold_without_funds",
    "accept_address_as_is"
   ],
   "scope": "send",
   "payable": true,
   "read_only": false,
   "destructive": true,
   "idempotent": true,
   "awaits_writes": false
  },
  {
   "name": "track_letter",
   "title": "Track a letter",
   "description": "Status of a letter, its steps and the expected days of delivery.",
   "parameters": {
    "type": "object",
    "properties": {
     "letter_id": {
      "type": "string",
      "description": "UUID of the letter"
     }
    },
    "required": [
     "letter_id"
    ],
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "letter_id": {
      "type": "string"
     },
     "status": {
      "type": "string"
     },
     "tracking_class": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "GET",
    "path": "/api/track/{letter_id}",
    "path_params": [
     "letter_id"
    ],
    "query": [],
    "headers": {}
   },
   "also_accepts": [],
   "scope": "read",
   "payable": true,
   "read_only": true,
   "destructive": false,
   "idempotent": false,
   "awaits_writes": true
  },
  {
   "name": "get_proof",
   "title": "Get proof of a letter",
   "description": "Proof of posting and delivery for an audit: signed credentials and hashes.",
   "parameters": {
    "type": "object",
    "properties": {
     "letter_id": {
      "type": "string",
      "description": "UUID of the letter"
     },
     "language": {
      "type": "string",
      "enum": [
       "de",
       "fr",
       "en"
      ],
      "description": "Language of the certificate"
     }
    },
    "required": [
     "letter_id"
    ],
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "letter_id": {
      "type": "string"
     },
     "proof_level": {
      "type": "string"
     },
     "statement": {
      "type": "string"
     }
    }
   },
   "http": {
    "method": "GET",
    "path": "/api/proof/{letter_id}",
    "path_params": [
     "letter_id"
    ],
    "query": [
     "language"
    ],
    "headers": {}
   },
   "also_accepts": [],
   "scope": "read",
   "payable": true,
   "read_only": true,
   "destructive": false,
   "idempotent": false,
   "awaits_writes": true
  },
  {
   "name": "get_balance",
   "title": "Get the balance",
   "description": "Balance in US dollars and the last transactions. Use it before a send.",
   "parameters": {
    "type": "object",
    "properties": {},
    "additionalProperties": false
   },
   "returns": {
    "type": "object",
    "properties": {
     "account_id": {
      "type": "string"
     },
     "balance": {
      "type": "number"
     },
     "available": {
      "type": "number"
     }
    }
   },
   "http": {
    "method": "GET",
    "path": "/api/balance",
    "path_params": [],
    "query": [],
    "headers": {}
   },
   "also_accepts": [],
   "scope": "read",
   "payable": true,
   "read_only": true,
   "destructive": false,
   "idempotent": false,
   "awaits_writes": true
  }
 ]
};
