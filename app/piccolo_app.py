"""The one Piccolo app of the project: its tables and where their migrations are."""

from __future__ import annotations

from pathlib import Path

from piccolo.conf.apps import AppConfig

from app.accounts.tables import AccessKey, Account, Entitlement, Passkey, PasswordReset, WebSession
from app.audit.tables import McpAuditEvent
from app.billing.tables import BillingCheckout, BillingCustomer, BillingEvent, BillingPrice, BillingSubscription
from app.core.tables import IdempotencyKey, Job, RateLimit
from app.decks.tables import Card, CardSchedule, Collection, Deck, DeckCount
from app.media.tables import CardMedia, Media
from app.notes.tables import Note, NoteCard, NoteFolder, NoteSearch, NoteVersion
from app.oauth.tables import (
    OAuthAccessToken,
    OAuthAuthorizationCode,
    OAuthClient,
    OAuthConnection,
    OAuthRefreshToken,
)
from app.stats.tables import AnswerCount
from app.study.tables import DeckSettings, Review, StudyItem, StudySession, StudySettings
from app.transfer.tables import CardOrigin, ImportJob, ImportPiece

# In a checkout the migrations lie beside the package; a wheel carries them inside it.
_BESIDE = Path(__file__).resolve().parent.parent / "migrations"
_INSIDE = Path(__file__).resolve().parent / "migrations"

APP_CONFIG = AppConfig(
    app_name="loci",
    migrations_folder_path=str(_INSIDE if _INSIDE.is_dir() else _BESIDE),
    table_classes=[
        Account,
        Entitlement,
        WebSession,
        PasswordReset,
        Passkey,
        AccessKey,
        OAuthClient,
        OAuthConnection,
        OAuthAuthorizationCode,
        OAuthAccessToken,
        OAuthRefreshToken,
        BillingCustomer,
        BillingSubscription,
        BillingCheckout,
        BillingPrice,
        BillingEvent,
        McpAuditEvent,
        Collection,
        Deck,
        DeckCount,
        Card,
        CardSchedule,
        Media,
        CardMedia,
        Note,
        NoteFolder,
        NoteVersion,
        NoteSearch,
        NoteCard,
        Review,
        StudySettings,
        DeckSettings,
        StudySession,
        StudyItem,
        AnswerCount,
        IdempotencyKey,
        RateLimit,
        Job,
        ImportJob,
        ImportPiece,
        CardOrigin,
    ],
    migration_dependencies=[],
    commands=[],
)
