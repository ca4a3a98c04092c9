package seakeepsql_test

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/seakeep/seakeep"
	seakeepsql "github.com/seakeep/seakeep/adapters/sql"
)

func Example() {
	policies, err := seakeep.Open("seakeep.yaml")
	if err != nil {
		log.Fatal(err)
	}
	cfg, err := pgx.ParseConfig("postgres://shop@db.example/shop")
	if err != nil {
		log.Fatal(err)
	}
	db, err := seakeepsql.Open(policies, "orders-db", stdlib.GetConnector(*cfg))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	ctx := context.Background()
	var open int
	err = db.QueryRowContext(seakeepsql.ReadOnly(ctx), "select count(*) from orders").Scan(&open)
	if errors.Is(err, seakeep.ErrRejected) {
		log.Print(seakeep.Explain(err))
	}

	// Run again as a whole if others were in its way.
	err = db.InTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable},
		func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "update stock set n = n - 1 where id = $1", 7)
			return err
		})
	if err != nil {
		log.Print(err)
	}
}
