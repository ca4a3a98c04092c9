package seakeepredis_test

import (
	"context"
	"log"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep"
	seakeepredis "github.com/seakeep/seakeep/adapters/redis"
)

func Example() {
	policies, err := seakeep.Open("seakeep.yaml")
	if err != nil {
		log.Fatal(err)
	}
	client, hook, err := seakeepredis.NewClient(policies, "sessions-cache",
		&redis.Options{Addr: "cache.example:6379"}, seakeepredis.Cache)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	name, err := client.Get(context.Background(), "user:7:name").Result()
	if err == redis.Nil { // not there, or no answer within 20 ms
		name = "from the database"
	}
	log.Print(name, hook.Stats().Missed)
}
